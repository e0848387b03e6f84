import Ground
import PhonePolicy
import Scenario

/// What the phone says, in the words of a story: the same for both stages.
enum ScenarioWords {
  /// The phone's words, but for the number of the push that came instead: a story knows no numbers.
  static func silentPush(_ code: PushFateCode?, _ words: String?) -> Scene.SilentPush {
    Scene.SilentPush(
      code: code, fate: code == .replaced ? "replaced by a newer one" : words ?? "on its way")
  }

  static func task(_ identifier: String, state: String, why: String?) -> Scene.Task {
    let goesOn = ["waiting", "running", "expiring"]
    return Scene.Task(
      identifier: identifier, state: state, why: why, isOver: !goesOn.contains(state),
      runs: state == "running"
    )
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
