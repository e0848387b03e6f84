import Ground

// Requests of this side.
extension Channel {
  /// Offers an HTLC. The amount is deducted at once; the update is sent with the next commitment.
  public mutating func offer(
    amountMsat: UInt64, paymentHash: Bytes32, cltvExpiry: UInt32, paymentData: PaymentData? = nil
  ) throws(ChannelError) -> UInt64 {
    try change { (channel) throws(ChannelError) in
      try channel.checkMayUpdate()
      let id = channel.record.nextOfferedID
      guard amountMsat > 0 else { throw .amountIsZero }
      guard amountMsat <= channel.record.localMsat else {
        throw .amountAboveBalance(availableMsat: channel.record.localMsat)
      }
      guard channel.record.count(.offered) < ChannelRecord.maximumHTLCs else { throw .tooManyHTLCs }
      guard cltvExpiry > 0, cltvExpiry < HTLC.cltvExpiryLimit else { throw .expiryOutOfRange }
      channel.record.insert(
        HTLC(
          id: id, amountMsat: amountMsat, paymentHash: paymentHash, cltvExpiry: cltvExpiry, state: .sentAdd,
          paymentData: paymentData))
      channel.record.localMsat -= amountMsat
      channel.record.nextOfferedID += 1
      return id
    }
  }

  /// Fulfills an incoming, irrevocably committed HTLC. `fulfilMessage` gets the preimage when the message is sent.
  public mutating func fulfill(_ id: UInt64) throws(ChannelError) {
    try remove(id, as: .fulfilled(preimage: nil))
  }

  /// Fails an incoming, irrevocably committed HTLC.
  public mutating func fail(_ id: UInt64, code: UInt16) throws(ChannelError) {
    try remove(id, as: .failed(code: code))
  }

  private mutating func remove(_ id: UInt64, as removal: HTLCRemoval) throws(ChannelError) {
    try change { (channel) throws(ChannelError) in
      try channel.checkMayUpdate()
      guard let index = channel.record.index(.received, id) else { throw .unknownHTLC(id: id) }
      guard channel.record.htlcs[index].removal == nil else { throw .alreadyRemoved(id: id) }
      guard channel.record.htlcs[index].state == .receivedAddAckRevocation else {
        throw .notCommitted(id: id)
      }
      channel.record.htlcs[index].state = .sentRemove
      channel.record.htlcs[index].removal = removal
    }
  }

  /// The message for `ChannelOutgoing.fulfill`.
  public func fulfilMessage(_ id: UInt64, preimage: Bytes32) -> Message {
    .fulfillHTLC(FulfillHTLC(channel: record.id, id: id, preimage: preimage))
  }
}
