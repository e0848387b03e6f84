/// How a sender reacts to a failure code.
public enum FailureAdvice: Hashable, Sendable {
  case tryAgain(Passing)
  case giveUp(Final)

  /// A later attempt may succeed.
  public enum Passing: String, Hashable, Sendable, CaseIterable {
    case nodeUnreachable = "the recipient, or a node before it, cannot be reached"
    case temporaryChannelFailure = "a channel on the way cannot carry the payment now"
    case feeOrExpiry = "a channel on the way refuses the fee or the expiry"
  }

  /// Another attempt would fail too.
  public enum Final: String, Hashable, Sendable, CaseIterable {
    case permanentPolicyError = "the way to the recipient is closed"
    case unsupportedFeatures = "a node on the way lacks a feature that it needs"
    case amountBelowMinimum = "the amount is below the channel's minimum"
    case incorrectPaymentDetails = "the recipient knows no such invoice, or the amount is wrong"
    case recipientRejected = "the recipient refused it"
  }

  public var mayTryAgain: Bool {
    if case .tryAgain = self { true } else { false }
  }

  public var reason: String {
    switch self {
    case .tryAgain(let reason): reason.rawValue
    case .giveUp(let reason): reason.rawValue
    }
  }
}
