import Ground
import Lightning
import PhonePolicy

/// The phone's answers in the language of stories, the same for both stages.
enum ScenarioWords {
  /// The phone's words without what differs from run to run: the number of a replacing push, and times.
  static func push(
    _ code: PushFateCode?, _ words: String?, isSilent: Bool, isShown: Bool
  ) -> Scene.Push {
    let fate =
      switch code {
      case .replaced: "replaced by a newer one"
      case .late: "delivered late: the phone was off the network"
      default: words ?? (isSilent ? "on its way" : isShown ? "shown" : "not shown yet")
      }
    return Scene.Push(isSilent: isSilent, code: code, fate: fate)
  }

  static func task(_ identifier: String, state: String, why: String?) -> Scene.Task {
    let goesOn = ["waiting", "running", "expiring"]
    return Scene.Task(
      identifier: identifier, state: state, why: why, isOver: !goesOn.contains(state),
      runs: state == "running"
    )
  }

  static let unevenChannel =
    "the channel has an open HTLC, or wallet and peer disagree on the wallet's balance"
  static let noMoreParts = CannotBeDone("the payment is not in parts, or all its parts were sent")
  static func noButton(_ title: String) -> CannotBeDone {
    CannotBeDone("the app's screen has no button “\(title)” now")
  }
  static let senderHasNotFailed = CannotBeDone("the sender's payment has not failed; it pays once")
  static let isSuspended = CannotBeDone("cannot freeze or thaw a suspended process")
  static let nothingToTouch = CannotBeDone("there is no notification in the list")

  static func code(_ name: String) throws(CannotBeDone) -> FailureCode {
    guard let code = FailureCode(name: name) else {
      throw CannotBeDone("BOLT 4 has no failure `\(name)`")
    }
    return code
  }

  /// From the state's name in the phone's core.
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
