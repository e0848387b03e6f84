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

  // MARK: Name and advice

  /// BOLT 4's name; nil for an unknown code.
  public var name: String? { Self.known.first { $0.code == rawValue }?.name }

  /// The advice for a sender with a single route, through the wallet's peer.
  ///
  /// After a permanent failure of an intermediate node BOLT 4 has the sender try another route; there is none here.
  /// An unknown code is judged by its flags.
  public var advice: FailureAdvice {
    Self.known.first { $0.code == rawValue }?.advice ?? adviceByBits
  }

  private var adviceByBits: FailureAdvice {
    if isPermanent { return .giveUp(isBadOnion ? .unsupportedFeatures : .permanentPolicyError) }
    if isAboutUpdate { return .tryAgain(.feeOrExpiry) }
    return .tryAgain(isAboutNode ? .nodeUnreachable : .temporaryChannelFailure)
  }

  private struct Known {
    let code: UInt16
    let name: String
    let advice: FailureAdvice

    init(_ code: UInt16, _ name: String, _ advice: FailureAdvice) {
      self.code = code
      self.name = name
      self.advice = advice
    }
  }

  private static let known = [
    Known(0x2002, "temporary_node_failure", .tryAgain(.nodeUnreachable)),
    Known(0x6002, "permanent_node_failure", .giveUp(.permanentPolicyError)),
    Known(0x6003, "required_node_feature_missing", .giveUp(.unsupportedFeatures)),
    Known(0xC004, "invalid_onion_version", .giveUp(.unsupportedFeatures)),
    Known(0xC005, "invalid_onion_hmac", .giveUp(.unsupportedFeatures)),
    Known(0xC006, "invalid_onion_key", .giveUp(.unsupportedFeatures)),
    Known(temporaryChannelFailure, "temporary_channel_failure", .tryAgain(.temporaryChannelFailure)),
    Known(0x4008, "permanent_channel_failure", .giveUp(.permanentPolicyError)),
    Known(0x4009, "required_channel_feature_missing", .giveUp(.unsupportedFeatures)),
    // Permanent by its flag, but common peers send it for a recipient that is only offline.
    Known(unknownNextPeer, "unknown_next_peer", .tryAgain(.nodeUnreachable)),
    Known(amountBelowMinimum, "amount_below_minimum", .giveUp(.amountBelowMinimum)),
    Known(0x100C, "fee_insufficient", .tryAgain(.feeOrExpiry)),
    Known(0x100D, "incorrect_cltv_expiry", .tryAgain(.feeOrExpiry)),
    Known(0x100E, "expiry_too_soon", .tryAgain(.feeOrExpiry)),
    Known(
      incorrectOrUnknownPaymentDetails, "incorrect_or_unknown_payment_details",
      .giveUp(.incorrectPaymentDetails)
    ),
    Known(0x0012, "final_incorrect_cltv_expiry", .tryAgain(.feeOrExpiry)),
    // Transient by its flags, but another attempt with the same invoice and amount would fail too.
    Known(0x0013, "final_incorrect_htlc_amount", .giveUp(.recipientRejected)),
    Known(channelDisabled, "channel_disabled", .tryAgain(.nodeUnreachable)),
    Known(0x0015, "expiry_too_far", .tryAgain(.feeOrExpiry)),
    Known(0x4016, "invalid_onion_payload", .giveUp(.unsupportedFeatures)),
    Known(mppTimeout, "mpp_timeout", .tryAgain(.temporaryChannelFailure)),
    Known(0xC018, "invalid_onion_blinding", .giveUp(.unsupportedFeatures)),
  ]
}

extension FailureCode: CustomStringConvertible {
  /// `0x1007`
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

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
