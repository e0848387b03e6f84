/// What a failed attempt means to the sender: whether another one may succeed.
public enum FailureClass: String, Hashable, Codable, Sendable, CaseIterable {
  // Another attempt would fail too.
  case invoiceExpired = "invoice-expired"
  case amountTooHigh = "amount-too-high"
  case amountBelowMinimum = "amount-below-minimum"
  case unsupportedFeatures = "unsupported-features"
  case incorrectPaymentDetails = "incorrect-payment-details"
  case recipientRejected = "recipient-rejected"
  case permanentPolicyError = "permanent-policy-error"
  // Another attempt may succeed.
  case routeNotFound = "route-not-found"
  case temporaryChannelFailure = "temporary-channel-failure"
  case nodeUnreachable = "node-unreachable"
  case feeOrExpiryConstraint = "fee-or-expiry-constraint"

  public var mayPass: Bool {
    switch self {
    case .routeNotFound, .temporaryChannelFailure, .nodeUnreachable, .feeOrExpiryConstraint: true
    case .invoiceExpired, .amountTooHigh, .amountBelowMinimum, .unsupportedFeatures,
      .incorrectPaymentDetails, .recipientRejected, .permanentPolicyError:
      false
    }
  }

  /// The class of a failure code of BOLT 4, for a sender with one route: what a node on the way refuses for good, no
  /// other route can carry (K-47).
  public init(_ code: FailureCode) {
    self =
      switch code.advice {
      case .tryAgain(.nodeUnreachable): .nodeUnreachable
      case .tryAgain(.temporaryChannelFailure): .temporaryChannelFailure
      case .tryAgain(.feeOrExpiry): .feeOrExpiryConstraint
      case .giveUp(.permanentPolicyError): .permanentPolicyError
      case .giveUp(.unsupportedFeatures): .unsupportedFeatures
      case .giveUp(.amountBelowMinimum): .amountBelowMinimum
      case .giveUp(.incorrectPaymentDetails): .incorrectPaymentDetails
      case .giveUp(.recipientRejected): .recipientRejected
      }
  }
}
