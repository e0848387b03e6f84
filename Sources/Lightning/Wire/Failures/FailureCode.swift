/// A failure code of BOLT 4: why a payment failed, from the node that failed it.
public struct FailureCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Nil for a name that BOLT 4 does not have.
  public init?(name: String) {
    guard let known = Self.known.first(where: { $0.name == name }) else { return nil }
    rawValue = known.code
  }

  /// BOLT 4's codes, in its order.
  public static var all: [FailureCode] { known.map { FailureCode(rawValue: $0.code) } }

  /// The peer cannot forward now, as the recipient is offline: transient.
  public static let temporaryChannelFailure: UInt16 = 0x1007
  /// The recipient has no such invoice, or the amount is wrong: final.
  public static let incorrectOrUnknownPaymentDetails: UInt16 = 0x400F
  public static let amountBelowMinimum: UInt16 = 0x100B
  /// The other parts of the payment did not arrive in time.
  public static let mppTimeout: UInt16 = 0x0017
  /// There is no route to the recipient.
  public static let unknownNextPeer: UInt16 = 0x400A
  public static let channelDisabled: UInt16 = 0x1014

  // MARK: Flags

  /// BADONION: the onion that the reporting node received is invalid.
  public var isBadOnion: Bool { rawValue & 0x8000 != 0 }
  /// PERM: another attempt at that node or channel would fail too.
  public var isPermanent: Bool { rawValue & 0x4000 != 0 }
  /// NODE: the whole node fails, not one channel.
  public var isAboutNode: Bool { rawValue & 0x2000 != 0 }
  /// UPDATE: the payment violates the channel's forwarding parameters.
  public var isAboutUpdate: Bool { rawValue & 0x1000 != 0 }

  // MARK: Name and class

  /// BOLT 4's name; nil for an unknown code.
  public var name: String? { Self.known.first { $0.code == rawValue }?.name }

  /// What the code means to a sender with one route, through the wallet's peer: what a node on the way refuses for good,
  /// no other route can carry (K-47). An unknown code is judged by its flags.
  public var failureClass: FailureClass {
    Self.known.first { $0.code == rawValue }?.failureClass ?? classByFlags
  }

  private var classByFlags: FailureClass {
    if isPermanent { return isBadOnion ? .unsupportedFeatures : .permanentPolicyError }
    if isAboutUpdate { return .feeOrExpiryConstraint }
    return isAboutNode ? .nodeUnreachable : .temporaryChannelFailure
  }

  private static let known: [(code: UInt16, name: String, failureClass: FailureClass)] = [
    (0x2002, "temporary_node_failure", .nodeUnreachable),
    (0x6002, "permanent_node_failure", .permanentPolicyError),
    (0x6003, "required_node_feature_missing", .unsupportedFeatures),
    (0xC004, "invalid_onion_version", .unsupportedFeatures),
    (0xC005, "invalid_onion_hmac", .unsupportedFeatures),
    (0xC006, "invalid_onion_key", .unsupportedFeatures),
    (temporaryChannelFailure, "temporary_channel_failure", .temporaryChannelFailure),
    (0x4008, "permanent_channel_failure", .permanentPolicyError),
    (0x4009, "required_channel_feature_missing", .unsupportedFeatures),
    // Permanent by its flag, but common peers send it for a recipient that is only offline.
    (unknownNextPeer, "unknown_next_peer", .nodeUnreachable),
    (amountBelowMinimum, "amount_below_minimum", .amountBelowMinimum),
    (0x100C, "fee_insufficient", .feeOrExpiryConstraint),
    (0x100D, "incorrect_cltv_expiry", .feeOrExpiryConstraint),
    (0x100E, "expiry_too_soon", .feeOrExpiryConstraint),
    (incorrectOrUnknownPaymentDetails, "incorrect_or_unknown_payment_details", .incorrectPaymentDetails),
    (0x0012, "final_incorrect_cltv_expiry", .feeOrExpiryConstraint),
    // Transient by its flags, but another attempt with the same invoice and amount would fail too.
    (0x0013, "final_incorrect_htlc_amount", .recipientRejected),
    (channelDisabled, "channel_disabled", .nodeUnreachable),
    (0x0015, "expiry_too_far", .feeOrExpiryConstraint),
    (0x4016, "invalid_onion_payload", .unsupportedFeatures),
    (mppTimeout, "mpp_timeout", .temporaryChannelFailure),
    (0xC018, "invalid_onion_blinding", .unsupportedFeatures),
  ]
}

extension FailureCode: CustomStringConvertible {
  /// `0x1007`
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

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

  /// One clause.
  public var reason: String {
    switch self {
    case .invoiceExpired: "the invoice has expired"
    case .amountTooHigh: "the amount is above the sender's balance"
    case .amountBelowMinimum: "the amount is below a channel's minimum"
    case .unsupportedFeatures: "a node on the way cannot process the payment's onion"
    case .incorrectPaymentDetails: "the recipient knows no such invoice, or the amount is wrong"
    case .recipientRejected: "the recipient refused the payment"
    case .permanentPolicyError: "a node or channel on the way fails permanently"
    case .routeNotFound: "there is no route to the recipient"
    case .temporaryChannelFailure: "a channel on the way cannot carry the payment now"
    case .nodeUnreachable: "the recipient, or a node on the way, cannot be reached"
    case .feeOrExpiryConstraint: "a channel on the way refuses the fee or the expiry"
    }
  }
}
