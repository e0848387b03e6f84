import Bitcoin
import LightningWire

// Money leaves the channel by a transaction that spends its funding (BOLT 2, "Channel Splicing"). One at a time, begun by
// the wallet alone. The channel takes no update from the moment in which one is wanted until both ends have moved, so
// each commitment is of one funding.
extension Channel {
  /// What the channel's money stands in now. The first is what the id of a channel is made of.
  public var funding: OutPoint { record.funding }

  public var pendingSplice: PendingSplice? { record.splice }

  /// Whether something is being agreed on, on this connection alone.
  public var isNegotiatingSplice: Bool { link.splicing.talk != nil }

  /// Whether payments may be offered, taken and refused.
  public var mayUpdate: Bool { record.splice == nil && link.splicing.talk == nil }

  func checkMayUpdate() throws(ChannelError) { guard mayUpdate else { throw .spliceUnderWay } }

  /// The other side has asked for rest itself, or is bound to a splice: it may send no update.
  func checkUpdate(_ type: UInt16) throws(ChannelError) {
    guard record.splice == nil, link.splicing.talk?.hasHeard != true else {
      throw .updateDuringSplice(type: type)
    }
  }

  /// Begins one. Nothing is bound before `pendingSplice` is there.
  public mutating func beginSplice(_ request: SpliceRequest) throws(ChannelError) {
    guard link.isUp else { throw .notReestablished }
    guard link.splicing.side?.role == .begins else { throw .doesNotSplice }
    guard mayUpdate else { throw .spliceUnderWay }
    guard let dust = request.script.dustLimit, request.amountSat >= dust else {
      throw .belowDust(leastSat: request.script.dustLimit ?? 0)
    }
    try checkBalance(for: request)
    link.splicing.talk = SpliceTalk(stage: .resting(request))
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

  /// Of an output to the hash of a script.
  static let smallestFundingSat: UInt64 = 330

  /// Whole: only whole satoshis ever leave it.
  var capacitySat: UInt64 { capacityMsat / 1000 }

  /// Everything that is in the channel is for good, and neither end owes the other anything.
  var isStill: Bool {
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

  /// What was decided on. An end that is told to forget a splice hears that before it hears any update.
  mutating func takeOfSplice() -> [ChannelOutgoing] {
    let outgoing = link.splicing.outgoing
    link.splicing.outgoing = []
    return outgoing.map { .message($0) }
  }

  /// The word for it is said when there is rest.
  mutating func askForRest() -> [ChannelOutgoing] {
    guard var talk = link.splicing.talk, !talk.hasSaid, isStill else { return [] }
    talk.hasSaid = true
    talk.isInitiator = !talk.hasHeard
    link.splicing.talk = talk
    return [.message(.quiescence(Quiescence(channel: record.id, isInitiator: talk.isInitiator)))]
  }

  mutating func send(_ message: Message) { link.splicing.outgoing.append(message) }

  /// Gives up what was being agreed on, and says why.
  mutating func abort(_ objection: SpliceObjection) -> [ChannelFact] {
    send(.transactionAbort(TransactionAbort(channel: record.id, text: objection.description)))
    link.splicing.awaitsAbort = true
    return endNegotiation(objection.description)
  }

  private mutating func heardAbort(_ body: TransactionAbort) throws(ChannelError) -> [ChannelFact] {
    // Whoever has signed must not say it, nor forget because it is said: the transaction may be out.
    if let splice = record.splice, !splice.mayBeForgotten { throw .unexpectedMessage(type: 74) }
    if link.splicing.awaitsAbort {
      link.splicing.awaitsAbort = false
      // The answer to ours is about what is over; something else may have begun since.
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
