import Ground
import PhonePolicy
import Scenario

/// What the phone says, in the words of a story: the same for both stages.
enum ScenarioWords {
  static func notification(_ notification: PhoneNotification) -> String {
    self.notification(
      isOriginal: notification.source == .original, title: notification.text.title,
      body: notification.text.body, isDisplayed: notification.isDisplayed)
  }

  static func notification(isOriginal: Bool, title: String, body: String, isDisplayed: Bool) -> String {
    let words = isOriginal ? Scene.pushAsSent : body.isEmpty ? title : "\(title): \(body)"
    return isDisplayed ? words : words + Scene.onlyInTheList
  }

  /// From the words of the phone's core, which name pushes by their numbers.
  static func silentPush(_ fate: String?) -> Scene.SilentPush {
    guard let fate else { return .onItsWay }
    let isReplaced = fate.hasPrefix("replaced")
    let isOver =
      isReplaced || ["dropped", "completed", "expired", "abandoned", "lost"].contains { fate.hasPrefix($0) }
    return Scene.SilentPush(fate: isReplaced ? "replaced by a newer one" : fate, isOver: isOver)
  }

  static func task(_ identifier: String, state: String, why: String?) -> Scene.Task {
    let goesOn = ["waiting", "running", "expiring"]
    return Scene.Task(
      identifier: identifier, words: why.map { "\(state): \($0)" } ?? state, isOver: !goesOn.contains(state),
      runs: state == "running")
  }

  /// The phone withholds its seed, and it says so: no mistake of its own.
  static func isLockedOut(_ reason: String) -> Bool {
    reason.hasSuffix(", so the wallet cannot read its seed")
  }

  static let noMoreParts = CannotBeDone("it does not come in parts, or all of them have come")
  static let isSuspended = CannotBeDone("the app is suspended, so it neither freezes nor thaws")
  static let nothingToTouch = CannotBeDone("there is no notification to touch")

  /// From the word of the phone's core.
  static func place(_ word: String, _ role: Role) -> Scene.Process.Place {
    switch word {
    case "launching": .starting
    case "foreground": .inFront
    case "background": .inBackground
    case "suspended": .suspended
    case "terminating", "expiring": .ending
    default: role == .extension ? .running : .starting
    }
  }
}
