@testable import Lightning

@Suite("Failure codes of BOLT 4") struct FailureCodeTests {
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

  @Test func `Each failure code has BOLT 4's number, flags and name`() {
    for row in Self.table {
      let code = FailureCode(rawValue: row.flags.reduce(row.number, |))
      expect(code.name, is: row.name)
      expect(code.isBadOnion, is: row.flags.contains(Self.badOnion))
      expect(code.isPermanent, is: row.flags.contains(Self.perm))
      expect(code.isAboutNode, is: row.flags.contains(Self.node))
      expect(code.isAboutUpdate, is: row.flags.contains(Self.update))
    }
    #expect(
      (UInt16.min...UInt16.max).filter { FailureCode(rawValue: $0).name != nil }.count == Self.table.count)
    expect(FailureCode(rawValue: 0x15).description, is: "0x0015")
  }

  @Test func `Each failure code but three advises a retry exactly if its PERM bit is 0`() {
    let exceptions: [UInt16] = [0x400A, 0x100B, 0x0013]
    for row in Self.table {
      let code = FailureCode(rawValue: row.flags.reduce(row.number, |))
      expect(
        code.failureClass.mayPass, is: (code.isPermanent == exceptions.contains(code.rawValue)), "\(row.name)"
      )
    }
  }

  @Test(
    arguments: [
      (0x4FFF, .permanentPolicyError), (0xCFFF, .unsupportedFeatures), (0x1FFF, .feeOrExpiryConstraint),
      (0x2FFF, .nodeUnreachable), (0x0FFF, .temporaryChannelFailure),
    ] as [(UInt16, FailureClass)])
  func `For an unknown code the flags decide the class`(code: UInt16, expected: FailureClass) {
    expect(FailureCode(rawValue: code).failureClass, is: expected)
  }
}
