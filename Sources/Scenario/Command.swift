import Ground
import PhonePolicy

/// What one line of a story says.
public enum Command: Hashable, Sendable {
  /// In the head of a story: how its phone and its peer are.
  case given(Setting)
  case make(Deed)
  case wait(Condition)
  case pass(TimeSpan)
  case ask(Question)
  /// The end: everything is judged.
  case verdict
}

/// Something that somebody does, or that goes wrong.
public enum Deed: Hashable, Sendable {
  // The user, and a sender.
  case open
  case home
  case quit
  /// Home and back, as quickly as a thumb could never be.
  case flick(times: Int)
  case pay(number: Int)
  /// The first of its parts.
  case payInParts(number: Int, parts: Int)
  case payNextPart(number: Int)
  /// The user, with the wallet.
  case payInvoice(number: Int)

  // Faults of processes.
  case kill(Role)
  case freeze(Role)
  case freezeInside(Role)
  case thaw(Role)

  // Faults of files.
  case replaceLock(Role)
  case emptyHeartbeat
  case copyDatabase
  case restoreCopy

  // Faults of messages and of the peer.
  case restartPeer
  case breakConnection
  case loseWord
  case repeatWord
  case losePush

  // The phone itself.
  case device(DeviceChange)
  case silentPush
  /// Of the newest notification that is there.
  case touch(NotificationTouch)
  case launchTask(String)
  case expireTask(String)

  // Faults of the phone.
  /// Whoever has it in the hand unlocks it at once, or does not.
  case reboot(staysLocked: Bool)
  /// Somebody pays while it is off.
  case payInReboot(number: Int)
  case sleepDevice(TimeSpan)
  case stepClock(seconds: Int64)

  /// The process that it happens to: it must be there first.
  var victim: Role? {
    switch self {
    case .kill(let role), .freeze(let role), .freezeInside(let role), .thaw(let role): role
    default: nil
    }
  }
}
