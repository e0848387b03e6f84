import Ground
import Wallet

/// One step of a world. Everything else follows from these.
public enum Move: Hashable, Sendable {
  // Steps without a user, sender or fault.
  /// The process carries out its next order.
  case work(Role)
  /// The process handles its expired deadline.
  case wake(Role)
  /// The process reads the next event of the phone.
  case hear(Role)
  case readPresence(Int)
  /// The peer reads the next packet of a connection, or its end.
  case peerReads(wire: UInt64)
  case walletReads(wire: UInt64)
  case peerWakes
  /// A sender that tries again handles its expired deadline.
  case senderWakes(Int)
  case phoneWakes
  case timePasses(until: Instant)

  // The user and the senders.
  case open
  case home
  case quit
  case invoice
  case pay(Int)
  /// One of several parts of about equal size.
  case payPart(Int, part: Int, of: Int)
  /// The user pays this external invoice. A new number makes a new invoice; `isKnown`: its recipient knows the hash.
  case send(Int, isKnown: Bool)
  /// The user cancels this invoice of the wallet.
  case cancel(Int)
  /// The user withdraws this amount on chain by a splice.
  case withdraw(UInt64)
  /// The user presses a button of the app's screen, if it is there.
  case press(ScreenButton)
  /// The user follows a link of the wallet.
  case followLink
  /// The app begins a background task that does not involve the node.
  case beginTask
  case endTask
  /// The user takes the wallet's other device in hand, and opens the app: the same seed, another container.
  case takeOtherDevice
  /// The user asks the app in front to move the wallet to this device.
  case askToMove
  /// A step of the device that the user does not have in hand.
  indirect case onOther(Move)

  // Faults.
  case network(isThere: Bool)
  case kill(Role)
  case freeze(Role)
  /// Freezes the process inside the transaction that it is about to begin.
  case freezeInside(Role)
  case thaw(Role)
  case losePresence(Int)
  case repeatPresence(Int)
  case delayPresence(Int)
  case cut(wire: UInt64)
  case slow(wire: UInt64)
  case restartPeer
  case stopPeer
  case startPeer
  /// A new plain file replaces a role's lock file.
  case replaceLock(Role)
  case loseBeat(Role)
  /// The process's next operation of this kind fails.
  case failStorage(Role, StorageFault)
  /// The disk is full, or has room again.
  case fillDisk(Bool)
  case reboot
  /// The device sleeps: the phone's clock stands still, the peer's clock runs.
  case deviceSleeps(TimeSpan)
  case losePush
  /// The user copies the database.
  case copyDatabase
  /// The phone is switched off, the copy replaces the database, and the phone is switched on.
  case restoreCopy
  /// The wall clock is set forward, or back.
  case stepClock(TimeSpan)
  /// The fault period ends. Then the user has the app in front, or stays away.
  case noMoreFaults(userStaysAway: Bool)
}
