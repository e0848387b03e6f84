import LightningWire

// Updates of the other side that ours never sends.
extension Channel {
  /// For us a failure like any other: the HTLC is over, and whoever pays is told the code.
  mutating func failedAsMalformed(_ body: FailMalformedHTLC) throws(ChannelError) -> [ChannelFact] {
    let index = try removable(body.id)
    guard FailureCode(rawValue: body.code).isBadOnion else {
      throw .notBadOnion(id: body.id, code: body.code)
    }
    record.htlcs[index].state = .receivedRemove
    record.htlcs[index].removal = .failed(code: body.code)
    return []
  }

  /// Always refused, as BOLT 2 has it: one side may not change the fee at all, and to the other one any rate is
  /// unreasonably large in a channel whose commitments carry none. To take it would mean to remember it until both
  /// commitments have it, and there is nothing that would be paid.
  func feeUpdate() throws(ChannelError) -> [ChannelFact] {
    throw record.isOpener ? .feeOfNonOpener : .feeOnFeelessChannel
  }
}
