/// What is never allowed to happen, as far as it can be seen here. The numbers are those of the judge; what he has under
/// another one, or cannot see, is counted from 11 on.
public enum Invariant: Int, Hashable, Sendable, CaseIterable {
  case oneDriver = 1
  case channelNeverBack = 2
  case paidIsReceivedOnce = 3
  case oneTextPerPush = 5
  case progress = 6
  case healthyOwnerStays = 9
  case releasedBeforeSuspension = 10
  case sentOnce = 11
  case awakeForPayments = 12
  case tasksAreCompleted = 13
  case newestIsShown = 14
  case textIsTrue = 15
  case toldOnce = 16

  public var sentence: String {
    switch self {
    case .oneDriver: "Two processes drive the node."
    case .channelNeverBack: "A channel state goes back."
    case .paidIsReceivedOnce: "What a sender sees as paid is in the wallet, once."
    case .oneTextPerPush: "A visible push ends with one notification."
    case .progress: "When nothing is in the way, the app connects and all is settled."
    case .healthyOwnerStays: "A healthy owner is not displaced."
    case .sentOnce: "What the wallet pays leaves it once, and ends as it has ended."
    case .awakeForPayments: "The app stays awake for a payment under way, and for none that is over."
    case .tasksAreCompleted: "Each run of a background task is completed once, before its time is over."
    case .newestIsShown: "The newest status is the one that is shown."
    case .toldOnce: "A payment is told by one notification."
    case .textIsTrue: "The text of a push tells what was received for it."
    case .releasedBeforeSuspension: "Who is suspended holds no lock in the container."
    }
  }
}

public struct Violation: Hashable, Sendable {
  public var invariant: Invariant
  /// What happened, in one sentence.
  public var sentence: String

  /// Of two with the same kind one is enough: the numbers in the sentence make no difference.
  var kind: String { "\(invariant.rawValue) \(sentence.filter { !$0.isNumber })" }

  public init(invariant: Invariant, sentence: String) {
    self.invariant = invariant
    self.sentence = sentence
  }
}
