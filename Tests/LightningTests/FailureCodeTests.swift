import Testing

@testable import Lightning

@Suite("Failure codes of BOLT 4")
struct FailureCodeTests {
  /// The table of the specification: its flags and numbers.
  private static let table: [(flags: [UInt16], number: UInt16, name: String)] = [
    ([node], 2, "temporary_node_failure"), ([perm, node], 2, "permanent_node_failure"),
    ([perm, node], 3, "required_node_feature_missing"), ([badOnion, perm], 4, "invalid_onion_version"),
    ([badOnion, perm], 5, "invalid_onion_hmac"), ([badOnion, perm], 6, "invalid_onion_key"),
    ([update], 7, "temporary_channel_failure"), ([perm], 8, "permanent_channel_failure"),
    ([perm], 9, "required_channel_feature_missing"), ([perm], 10, "unknown_next_peer"),
    ([update], 11, "amount_below_minimum"), ([update], 12, "fee_insufficient"),
    ([update], 13, "incorrect_cltv_expiry"), ([update], 14, "expiry_too_soon"),
    ([perm], 15, "incorrect_or_unknown_payment_details"), ([], 18, "final_incorrect_cltv_expiry"),
    ([], 19, "final_incorrect_htlc_amount"), ([update], 20, "channel_disabled"), ([], 21, "expiry_too_far"),
    ([perm], 22, "invalid_onion_payload"), ([], 23, "mpp_timeout"),
    ([badOnion, perm], 24, "invalid_onion_blinding"),
  ]
  private static let (badOnion, perm, node, update): (UInt16, UInt16, UInt16, UInt16) = (
    0x8000, 0x4000, 0x2000, 0x1000
  )

  @Test
  func `Each failure code has BOLT 4's number, flags and name`() {
    for row in Self.table {
      let code = FailureCode(rawValue: row.flags.reduce(row.number, |))
      #expect(code.name == row.name)
      #expect(code.isBadOnion == row.flags.contains(Self.badOnion))
      #expect(code.isPermanent == row.flags.contains(Self.perm))
      #expect(code.isAboutNode == row.flags.contains(Self.node))
      #expect(code.isAboutUpdate == row.flags.contains(Self.update))
    }
    #expect(
      (UInt16.min...UInt16.max).filter { FailureCode(rawValue: $0).name != nil }.count == Self.table.count)
    #expect(FailureCode(rawValue: 0x15).description == "0x0015")
  }

  /// What a sender with one route learns from the code: the failure's class, final or passing.
  @Test
  func `B-1.7.5.3, B-1.7.5.4 Each failure code of BOLT 4 advises a retry or none, with its reason`() {
    let classes: [(advice: FailureAdvice, codes: [UInt16])] = [
      (.giveUp(.permanentPolicyError), [0x6002, 0x4008]),
      (.giveUp(.unsupportedFeatures), [0x6003, 0xC004, 0xC005, 0xC006, 0x4009, 0x4016, 0xC018]),
      (.giveUp(.amountBelowMinimum), [0x100B]),
      (.giveUp(.incorrectPaymentDetails), [0x400F]),
      (.giveUp(.recipientRejected), [0x0013]),
      (.tryAgain(.temporaryChannelFailure), [0x1007, 0x0017]),
      (.tryAgain(.nodeUnreachable), [0x2002, 0x400A, 0x1014]),
      (.tryAgain(.feeOrExpiry), [0x100C, 0x100D, 0x100E, 0x0012, 0x0015]),
    ]
    for (advice, codes) in classes {
      for code in codes { #expect(FailureCode(rawValue: code).advice == advice, "\(code)") }
    }
    #expect(classes.map(\.codes.count).reduce(0, +) == Self.table.count)
  }

  @Test
  func `Each failure code but three advises a retry exactly if its PERM bit is 0`() {
    let exceptions: [UInt16] = [0x400A, 0x100B, 0x0013]
    for row in Self.table {
      let code = FailureCode(rawValue: row.flags.reduce(row.number, |))
      #expect(
        code.advice.mayTryAgain == (code.isPermanent == exceptions.contains(code.rawValue)), "\(row.name)")
    }
    #expect(!FailureCode(rawValue: 0x4FFF).advice.mayTryAgain)
    #expect(FailureCode(rawValue: 0x0FFF).advice.mayTryAgain)
  }

  @Test
  func `For an unknown code the flags decide the advice`() {
    #expect(FailureCode(rawValue: 0x4FFF).advice == .giveUp(.permanentPolicyError))
    #expect(FailureCode(rawValue: 0xCFFF).advice == .giveUp(.unsupportedFeatures))
    #expect(FailureCode(rawValue: 0x1FFF).advice == .tryAgain(.feeOrExpiry))
    #expect(FailureCode(rawValue: 0x2FFF).advice == .tryAgain(.nodeUnreachable))
    #expect(FailureCode(rawValue: 0x0FFF).advice == .tryAgain(.temporaryChannelFailure))
  }
}
