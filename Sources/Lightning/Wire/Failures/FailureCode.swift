/// A failure code of BOLT 4: why a payment did not go through, as the node says at which it ended.
public struct FailureCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The peer cannot forward now (the recipient is away): worth another try.
  public static let temporaryChannelFailure: UInt16 = 0x1007
  /// The recipient knows no such invoice, or the amount is wrong: final.
  public static let incorrectOrUnknownPaymentDetails: UInt16 = 0x400F
  public static let amountBelowMinimum: UInt16 = 0x100B
  /// The other parts of the payment did not come in time.
  public static let mppTimeout: UInt16 = 0x0017
  /// Nothing leads from here to whom it is for.
  public static let unknownNextPeer: UInt16 = 0x400A

  // MARK: What its highest bits say

  /// The packet could not be read: the node before the one that says so made it so.
  public var isBadOnion: Bool { rawValue & 0x8000 != 0 }
  /// It will be the same the next time, at that node or in that channel.
  public var isPermanent: Bool { rawValue & 0x4000 != 0 }
  /// It is about the whole node, not about a channel of it.
  public var isAboutNode: Bool { rawValue & 0x2000 != 0 }
  /// Something that the channel demands of payments was not kept to.
  public var isAboutUpdate: Bool { rawValue & 0x1000 != 0 }

  // MARK: What it is called, and what a sender makes of it

  /// As BOLT 4 has it; nil for a code that it does not have.
  public var name: String? { Self.known.first { $0.code == rawValue }?.name }

  /// What to do about it, where there is one way to the recipient alone: through the wallet's own peer.
  ///
  /// BOLT 4 would have a sender try another way when it is a node in the middle that says "permanent"; here there is
  /// none. What is not known is taken by its bits.
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
    // Its bit says permanent, and yet it is what common peers say of a recipient that is only away.
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
    // Its bits say transient, but the same invoice for the same amount will end the same way.
    Known(0x0013, "final_incorrect_htlc_amount", .giveUp(.recipientRejected)),
    Known(0x1014, "channel_disabled", .tryAgain(.nodeUnreachable)),
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
