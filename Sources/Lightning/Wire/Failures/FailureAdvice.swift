/// How a sender reacts to a failure code.
public enum FailureAdvice: Hashable, Sendable {
  case tryAgain(Passing)
  case giveUp(Final)

  /// A later attempt may succeed.
  public enum Passing: String, Hashable, Sendable, CaseIterable {
    case nodeUnreachable = "the recipient, or a node on the way, cannot be reached"
    case temporaryChannelFailure = "a channel on the way cannot carry the payment now"
    case feeOrExpiry = "a channel on the way refuses the fee or the expiry"
  }

  /// Another attempt would fail too.
  public enum Final: String, Hashable, Sendable, CaseIterable {
    case permanentPolicyError = "a node or channel on the way fails permanently"
    case unsupportedFeatures = "a node on the way cannot process the payment's onion"
    case amountBelowMinimum = "the amount is below a channel's minimum"
    case incorrectPaymentDetails = "the recipient knows no such invoice, or the amount is wrong"
    case recipientRejected = "the recipient refused the payment"
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
