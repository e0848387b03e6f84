import Heartbeat
import PhonePolicy
import Scenario

/// What the phone says, in the words of a story: the same for both stages.
enum ScenarioWords {
  static func notification(_ notification: PhoneNotification) -> String {
    self.notification(
      isOriginal: notification.source == .original, title: notification.text.title,
      body: notification.text.body)
  }

  static func notification(isOriginal: Bool, title: String, body: String) -> String {
    if isOriginal { return Scene.pushAsSent }
    return body.isEmpty ? title : "\(title): \(body)"
  }

  /// From the word of the phone's core.
  static func place(_ word: String, _ role: Role) -> Scene.Process.Place {
    switch word {
    case "launching": .starting
    case "foreground": .inFront
    case "background": .inBackground
    case "terminating", "expiring": .ending
    default: role == .extension ? .running : .starting
    }
  }
}
