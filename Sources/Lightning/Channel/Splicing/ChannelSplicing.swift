// Splice-out: a transaction that spends the channel's funding (BOLT 2, "Channel Splicing"). One at a time, begun
// only by the wallet. The channel takes no update from the request until both ends use the new funding, so each
// commitment has one funding.
extension Channel {
  /// The current funding output. The channel's id is made of the first one.
  public var funding: OutPoint { record.funding }

  public var pendingSplice: PendingSplice? { record.splice }

  /// Whether a splice is being negotiated on this connection, and not yet durable.
  public var isNegotiatingSplice: Bool { link.splicing.talk != nil }

  /// Whether HTLCs may be offered, fulfilled and failed.
  public var mayUpdate: Bool { record.splice == nil && link.splicing.talk == nil }

  func checkMayUpdate() throws(ChannelError) { guard mayUpdate else { throw .spliceUnderWay } }

  /// Refuses an update after the other side's `stfu` or during a splice.
  func checkUpdate(_ type: UInt16) throws(ChannelError) {
    guard record.splice == nil, link.splicing.talk?.hasHeard != true else {
      throw .updateDuringSplice(type: type)
    }
  }

  /// Begins a splice. Neither side is bound to it before `pendingSplice` is set.
  public mutating func beginSplice(_ request: SpliceRequest) throws(ChannelError) {
    guard link.isUp else { throw .notReestablished }
    guard link.splicing.side?.role == .begins else { throw .doesNotSplice }
    guard mayUpdate else { throw .spliceUnderWay }
    guard let dust = request.script.dustLimit, request.amountSat >= dust else {
      throw .belowDust(leastSat: request.script.dustLimit ?? 0)
    }
    try checkBalance(for: request)
    link.splicing.talk = SpliceNegotiation(stage: .resting(request))
  }

  func checkBalance(for request: SpliceRequest) throws(ChannelError) {
    let balance = record.localMsat / 1000
    let available = balance - min(balance, request.feeSat)
    guard request.feeSat <= balance, request.amountSat <= available else {
      throw .spliceAboveBalance(availableSat: available)
    }
    guard capacitySat - request.amountSat - request.feeSat >= Self.smallestFundingSat else {
      throw .spliceAboveBalance(availableSat: available - min(available, Self.smallestFundingSat))
    }
  }

  /// The dust limit of a P2WSH output.
  static let smallestFundingSat: UInt64 = 330

  /// Exact: a channel opens with whole satoshis, and splices take whole satoshis.
  var capacitySat: UInt64 { capacityMsat / 1000 }

  /// All HTLCs are irrevocably committed, and no commitment or revocation is due.
  var hasNoPendingUpdates: Bool {
    !record.isCommitmentInFlight && !record.isRevocationDue && record.htlcs.allSatisfy(\.state.isForGood)
  }

  mutating func receiveOfSplice(_ message: Message) throws(ChannelError) -> [ChannelFact] {
    switch message {
    case .quiescence(let body): return try heardQuiescence(body)
    case .spliceInit(let body): return try heardInit(body)
    case .spliceAck(let body): return try heardAck(body)
    case .addInput(let body): return try heardInput(body)
    case .addOutput(let body): return try heardOutput(body)
    case .transactionComplete: return try heardComplete()
    case .transactionAbort(let body): return try heardAbort(body)
    case .transactionSignatures(let body): return try heardSignatures(body)
    case .spliceLocked(let body): return try heardLocked(body.transaction)
    default: throw .unexpectedMessage(type: message.type)
    }
  }

  /// The queued messages of a splice. They go before updates, so that `tx_abort` arrives first.
  mutating func takeOfSplice() -> [ChannelOutgoing] {
    let outgoing = link.splicing.outgoing
    link.splicing.outgoing = []
    return outgoing.map { .message($0) }
  }

  /// `stfu`, once no update is pending.
  mutating func takeStfu() -> [ChannelOutgoing] {
    guard var talk = link.splicing.talk, !talk.hasSaid, hasNoPendingUpdates else { return [] }
    talk.hasSaid = true
    talk.isInitiator = !talk.hasHeard
    link.splicing.talk = talk
    return [.message(.quiescence(Quiescence(channel: record.id, isInitiator: talk.isInitiator)))]
  }

  mutating func send(_ message: Message) { link.splicing.outgoing.append(message) }

  /// Ends the negotiation with `tx_abort` and the reason.
  mutating func abort(_ objection: SpliceObjection) -> [ChannelFact] {
    send(.transactionAbort(TransactionAbort(channel: record.id, text: objection.description)))
    link.splicing.awaitsAbort = true
    return endNegotiation(objection.description)
  }

  private mutating func heardAbort(_ body: TransactionAbort) throws(ChannelError) -> [ChannelFact] {
    // After `tx_signatures` a side must neither send tx_abort nor obey it: the transaction may be broadcast.
    if let splice = record.splice, !splice.mayBeForgotten { throw .unexpectedMessage(type: 74) }
    if link.splicing.awaitsAbort {
      link.splicing.awaitsAbort = false
      // This answers our tx_abort, for a splice that is over; another one may have begun since.
      if record.splice == nil { return [] }
    } else {
      send(.transactionAbort(TransactionAbort(channel: record.id)))
    }
    record.splice = nil
    return endNegotiation(body.text)
  }

  private mutating func endNegotiation(_ why: String) -> [ChannelFact] {
    guard let talk = link.splicing.talk, talk.stage != .over else { return [] }
    link.splicing.talk?.stage = .over
    return [.spliceGivenUp(why)]
  }
}
