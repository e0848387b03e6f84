import Ground

/// One thing that may happen next. Everything that is not in here follows from it.
public enum Move: Hashable, Sendable {
  // By themselves.
  /// The process does the next thing that it has to do.
  case work(Role)
  /// The process notices that its deadline has come.
  case wake(Role)
  /// The process reads the next word of the phone.
  case hear(Role)
  case readLetter(Int)
  /// The peer takes the next packet of a connection, or notices its end.
  case peerReads(wire: UInt64)
  case walletReads(wire: UInt64)
  case peerWakes
  case phoneWakes
  case timePasses(until: Instant)

  // The user, and somebody who pays.
  case open
  case home
  case quit
  case invoice
  case pay(Int)
  /// A part of the payment, in parts of about the same size.
  case payPart(Int, part: Int, of: Int)
  /// The user pays this invoice of somebody else's. A new number is a new invoice, which its maker knows or not.
  case send(Int, isKnown: Bool)
  /// The user does not want this invoice of the wallet's paid any more.
  case cancel(Int)
  /// The user takes this out of the channel on chain.
  case withdraw(UInt64)
  /// The user begins to send something that goes on in the background, and that the node knows nothing of.
  case beginTask
  case endTask

  // Faults.
  case network(isThere: Bool)
  case kill(Role)
  case freeze(Role)
  /// Stopped inside the transaction that it is about to make.
  case freezeInside(Role)
  case thaw(Role)
  case loseLetter(Int)
  case repeatLetter(Int)
  case delayLetter(Int)
  case cut(wire: UInt64)
  case slow(wire: UInt64)
  case restartPeer
  /// A new plain file in the place of a role's lock file.
  case replaceLock(Role)
  case loseBeat(Role)
  /// The process's next operation of this kind fails.
  case failStorage(Role, StorageFault)
  /// The disk is full, or has room again.
  case fillDisk(Bool)
  case reboot
  /// The device sleeps: the phone's clock stands still, the peer's does not.
  case deviceSleeps(TimeSpan)
  case losePush
  /// Somebody makes a copy of the database.
  case copyDatabase
  /// The phone is switched off and on, with that copy in the database's place.
  case restoreCopy
  /// The phone's time is set anew.
  case stepClock(TimeSpan)
  /// From here on nothing goes wrong.
  case noMoreFaults
}
