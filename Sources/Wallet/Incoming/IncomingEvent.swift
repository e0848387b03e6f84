import Ground
import Guardrails

/// An event of the screen of incoming payments.
public enum IncomingEvent: Hashable, Codable, Sendable {
  case deadlineReached
  /// The app has come to the front, or left it.
  case activated
  case deactivated
  /// A notification that the user answered, or a push to the app in front; nil if it cannot be read. With the wall
  /// clock's seconds, as the hold's end is in these.
  case told(Announcement?, atWallSeconds: Int64)
  case linkFollowed(AppPage)
  /// With the identifier for the answer.
  case pressed(String, ScreenButton)

  // Answers of the container.
  /// All records, and those of their payments, and of the payments asked for, that are received and settled.
  case recordsRead([IncomingRecord], received: [ReceivedPayment], atWallSeconds: Int64)
  case recordsNotRead(Trouble)
  /// These records are gone; those of the `changed` payments are others than were to be removed, and stay.
  case removed([Bytes32], changed: [Bytes32] = [])
  case notRemoved(Trouble)

  // From the other parts.
  case shown(Status)
  case received(ReceivedPayment)
  case holdEnded(Bytes32)
  /// The node waits for further parts of these payments; replaces the earlier list.
  case collecting([Bytes32])
  /// The deferred work may remove ended records now.
  case tidyAsked
}

/// An order of the screen of incoming payments.
public enum IncomingDirective: Hashable, Codable, Sendable {
  case show(AppScreen)
  /// To the container: the records, and which of these payments are received. Answered by `recordsRead` or
  /// `recordsNotRead`.
  case read([Bytes32])
  /// Those that are still as they were read. Answered by `removed` or `notRemoved`.
  case remove([IncomingRecord])
  /// To the phone, from the app in front: the payment is received, so what the extension has announced is over. Also
  /// without an announcement: the phone alone knows which there are.
  case withdrawAnnouncement(of: Bytes32)
  /// To the node.
  case connectAgain
  /// To the pasteboard.
  case copy(String)
  /// Exactly once for each press; with a sentence if the button could not be pressed.
  case answerPress(String, refusal: String?)
  /// To the deferred work: there are ended records.
  case tidyWanted
  case tidied(BackgroundStep)
}
