// Updates that only other software sends.
extension Channel {
  /// Handled like `update_fail_htlc`: the HTLC fails, with the code for the payer.
  mutating func failedAsMalformed(_ body: FailMalformedHTLC) throws(ChannelError) -> [ChannelFact] {
    let index = try removable(body.id)
    guard FailureCode(rawValue: body.code).isBadOnion else {
      throw .notBadOnion(id: body.id, code: body.code)
    }
    record.htlcs[index].state = .receivedRemove
    record.htlcs[index].removal = .failed(code: body.code)
    return []
  }

  /// Always refused, as BOLT 2 allows: the other side may not change the fee if this side is the opener, and any
  /// other rate is unreasonably large in a channel whose commitments have no fee.
  func feeUpdate() throws(ChannelError) -> [ChannelFact] {
    throw record.isOpener ? .feeOfNonOpener : .feeOnFeelessChannel
  }
}
