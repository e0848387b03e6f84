import Guardrails

/// The invariants that the simulation checks. 1 to 9 are the judge's numbers; from 10 on are the simulation's own.
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
  case movedByUser = 17
  case tellsOnly = 18
  case toldAtOnce = 19
  case recordsAreTrue = 20
  case senderKnows = 21

  /// Those that concern this wallet.
  public static func of(_ wallet: WalletProfile) -> [Invariant] {
    allCases.filter { !wallet.extension.hasNode || !$0.isOfTelling }
  }

  /// About an extension that only notifies.
  private var isOfTelling: Bool {
    switch self {
    case .tellsOnly, .toldAtOnce, .recordsAreTrue: true
    default: false
    }
  }

  public var sentence: String {
    switch self {
    case .oneDriver: "One process at a time uses the node."
    case .channelNeverBack: "No channel state goes back."
    case .paidIsReceivedOnce: "A payment that its sender sees as paid is received exactly once."
    case .oneTextPerPush: "A visible push ends with one notification."
    case .progress: "Without faults, the app connects and everything settles."
    case .healthyOwnerStays: "A healthy owner is not displaced."
    case .sentOnce: "An outgoing payment leaves once, and its recorded outcome is the real one."
    case .awakeForPayments: "The app stays awake while a payment is pending, and no longer."
    case .tasksAreCompleted: "Each run of a background task is completed once, before its time is over."
    case .newestIsShown: "The newest status is shown."
    case .senderKnows:
      "A sender pays an invoice once, one attempt at a time, and is not told “failed” of what settles."
    case .toldOnce: "A payment has one notification."
    case .movedByUser: "The wallet moves to another device only when the user asks for it."
    case .tellsOnly:
      "An extension that only notifies uses no node: the app alone claims, connects and pays out preimages."
    case .toldAtOnce: "An extension that only notifies delivers a push's text within a second."
    case .recordsAreTrue:
      "A record of an incoming payment names an announced payment, and stays until the payment has ended."
    case .textIsTrue: "A push's notification states what was received."
    case .releasedBeforeSuspension: "A suspended process holds no lock in the container."
    }
  }
}

public struct Violation: Hashable, Sendable {
  public var invariant: Invariant
  /// What happened, in one sentence.
  public var sentence: String

  /// The sentence without its numbers: one violation of each kind is reported.
  var kind: String { "\(invariant.rawValue) \(sentence.filter { !$0.isNumber })" }

  public init(invariant: Invariant, sentence: String) {
    self.invariant = invariant
    self.sentence = sentence
  }
}
