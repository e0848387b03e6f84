import Ground
import PhonePolicy

/// The meaning of one line of a story.
public enum Command: Hashable, Sendable {
  /// A line of the story's head: a setting of its phone or its peer.
  case given(Setting)
  case make(StoryAction)
  case wait(Condition)
  case pass(TimeSpan)
  case ask(Question)
  /// The end of the story: everything is judged.
  case verdict
}

/// An action of the user or a sender, or a fault.
public enum StoryAction: Hashable, Sendable {
  // The user, and a sender.
  case open
  case home
  case quit
  /// Home and back, faster than a user could.
  case homeAndBack(times: Int)
  case pay(number: Int)
  /// As `pay`, when the invoice has expired.
  case payExpired(number: Int)
  /// Only the first part.
  case payInParts(number: Int, parts: Int)
  case payNextPart(number: Int)
  /// The user pays an external invoice with the wallet.
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
  case stopPeer
  case startPeer
  case breakConnection
  case loseMessage
  case repeatMessage
  case losePush
  /// The peer fails the next payments with a code of BOLT 4.
  case failNext(times: Int, code: String)
  /// The peer force-closes the channel.
  case failChannel

  // The phone itself.
  case device(DeviceChange)
  case silentPush
  /// With an alert, about no payment of the peer.
  case visiblePush
  /// The user's response to the newest present notification.
  case touch(NotificationTouch)
  /// A button of the app's screen, by its title.
  case press(String)
  case launchTask(String)
  case expireTask(String)

  // Faults of the phone.
  /// Unless it stays locked, the user unlocks the phone right after the boot.
  case reboot(staysLocked: Bool)
  /// A sender pays while the phone is off.
  case payInReboot(number: Int)
  case sleepDevice(TimeSpan)
  case stepClock(seconds: Int64)

  /// The process that a fault hits; the story waits until it runs.
  var target: Role? {
    switch self {
    case .kill(let role), .freeze(let role), .freezeInside(let role), .thaw(let role): role
    default: nil
    }
  }
}
