import Crypto

// From stfu to the negotiated transaction. The initiator adds inputs and outputs one by one, and the other end
// answers each with tx_complete.
extension Channel {
  // Fixed: the other end adds nothing, so the serial ids need not be random.
  private static let inputSerial: UInt64 = 0
  private static let fundingSerial: UInt64 = 2
  private static let targetSerial: UInt64 = 4
  static let lowestFeerate: UInt32 = 253
  static let highestFeerate: UInt32 = 10_000

  mutating func heardQuiescence(_ body: Quiescence) throws(ChannelError) -> [ChannelFact] {
    guard link.splicing.side != nil, record.splice == nil else { throw .unexpectedMessage(type: 2) }
    var talk = link.splicing.talk ?? SpliceNegotiation(stage: .resting(nil))
    guard !talk.hasHeard, talk.hasSaid || body.isInitiator, !senderHasPendingUpdates else {
      throw .unexpectedMessage(type: 2)
    }
    talk.hasHeard = true
    // Both sent stfu as initiator: by BOLT 2 the channel's opener is it.
    talk.isInitiator = talk.hasSaid && (!body.isInitiator || record.isOpener)
    let wanted = talk.wanted
    if !talk.isInitiator { talk.stage = .resting(nil) }
    link.splicing.talk = talk
    guard let wanted else { return [] }
    guard talk.isInitiator else { return [.spliceGivenUp("the peer is the initiator of another splice")] }
    return offerSplice(wanted)
  }

  /// BOLT 2: the sender of `stfu` must have no pending update in either commitment.
  private var senderHasPendingUpdates: Bool {
    record.htlcs.contains { htlc in
      htlc.direction == .offered ? htlc.state.isBeingRemoved : htlc.state.rawValue < 14
    }
  }

  private mutating func offerSplice(_ request: SpliceRequest) -> [ChannelFact] {
    guard let key = link.splicing.side?.key else { return [] }
    do throws(ChannelError) {
      // Updates that were pending at the request may have changed the balance.
      try checkBalance(for: request)
    } catch {
      link.splicing.talk?.stage = .over
      return [.spliceGivenUp(error.description)]
    }
    link.splicing.talk?.stage = .offered(request)
    send(
      .spliceInit(
        SpliceInit(
          channel: record.id, contribution: -Int64(request.amountSat + request.feeSat),
          feeratePerKw: SpliceRequest.feeratePerKw, fundingKey: key)))
    return []
  }

  mutating func heardInit(_ body: SpliceInit) throws(ChannelError) -> [ChannelFact] {
    guard let talk = link.splicing.talk, talk.isQuiescent, !talk.isInitiator, case .resting = talk.stage,
      let side = link.splicing.side
    else { throw .unexpectedMessage(type: 80) }
    let taken = body.contribution.magnitude
    guard body.contribution >= 0 || taken <= record.remoteMsat / 1000 else {
      throw .spliceAboveBalance(availableSat: record.remoteMsat / 1000)
    }
    guard side.role == .answers else { return abort(.notBegunHere) }
    guard body.contribution < 0 else { return abort(.takesNothing) }
    guard (Self.lowestFeerate...Self.highestFeerate).contains(body.feeratePerKw) else {
      return abort(.feerate(lowest: Self.lowestFeerate, highest: Self.highestFeerate))
    }
    guard body.lockTime == 0 else { return abort(.hasLockTime) }
    guard PublicKey(body.fundingKey.bytes.array) != nil else { return abort(.notAKey) }
    let capacity = capacitySat - taken
    guard capacity >= Self.smallestFundingSat else { return abort(.leavesTooLittle) }
    link.splicing.talk?.stage = .collecting(
      SpliceDraft(
        lockTime: body.lockTime, feeratePerKw: body.feeratePerKw, capacitySat: capacity, takenSat: taken,
        fundingScript: FundingScript.output(body.fundingKey, side.key)))
    send(.spliceAck(SpliceAck(channel: record.id, fundingKey: side.key)))
    return []
  }

  mutating func heardAck(_ body: SpliceAck) throws(ChannelError) -> [ChannelFact] {
    guard case .offered(let request) = link.splicing.talk?.stage, let side = link.splicing.side else {
      throw .unexpectedMessage(type: 81)
    }
    guard body.contribution >= 0 || body.contribution.magnitude <= record.remoteMsat / 1000 else {
      throw .spliceAboveBalance(availableSat: record.remoteMsat / 1000)
    }
    guard body.contribution == 0 else { return abort(.addsNothing) }
    guard PublicKey(body.fundingKey.bytes.array) != nil else { return abort(.notAKey) }
    let taken = request.amountSat + request.feeSat
    let script = FundingScript.output(side.key, body.fundingKey)
    var draft = SpliceDraft(
      lockTime: 0, feeratePerKw: SpliceRequest.feeratePerKw, capacitySat: capacitySat - taken,
      takenSat: taken,
      fundingScript: script)
    draft.input = AddInput(
      channel: record.id, serial: Self.inputSerial, outputIndex: funding.index,
      sharedInput: funding.transaction)
    draft.outputs = [
      AddOutput(
        channel: record.id, serial: Self.fundingSerial, satoshis: draft.capacitySat, script: script.bytes),
      AddOutput(
        channel: record.id, serial: Self.targetSerial, satoshis: request.amountSat,
        script: request.script.bytes),
    ]
    link.splicing.talk?.stage = .adding(draft, count: 0)
    return addNext()
  }

  private mutating func addNext() -> [ChannelFact] {
    guard case .adding(let draft, let count) = link.splicing.talk?.stage, let input = draft.input else {
      return []
    }
    let parts: [Message] = [.addInput(input)] + draft.outputs.map { .addOutput($0) }
    guard count < parts.count else { return agree(on: draft, isOurs: true) }
    link.splicing.talk?.stage = .adding(draft, count: count + 1)
    send(parts[count])
    return []
  }

  mutating func heardInput(_ body: AddInput) throws(ChannelError) -> [ChannelFact] {
    guard var draft = try drafted(66) else { return abort(.addsNothing) }
    guard body.previous.count == 0, let spent = body.sharedInput, draft.input == nil else {
      return abort(.foreignInput)
    }
    guard OutPoint(transaction: spent, index: body.outputIndex) == funding else {
      return abort(.otherFunding)
    }
    guard body.sequence <= TransactionInput.replaceable else { return abort(.cannotBeReplaced) }
    guard body.serial.isMultiple(of: 2) else { return abort(.serial) }
    draft.input = body
    return keep(draft)
  }

  mutating func heardOutput(_ body: AddOutput) throws(ChannelError) -> [ChannelFact] {
    guard var draft = try drafted(67) else { return abort(.addsNothing) }
    guard body.serial.isMultiple(of: 2), !draft.outputs.contains(where: { $0.serial == body.serial }) else {
      return abort(.serial)
    }
    guard draft.outputs.count < 2 else { return abort(.tooManyOutputs) }
    guard let dust = OutputScript(body.script).dustLimit else { return abort(.scriptNotCarried) }
    guard body.satoshis >= dust, body.satoshis <= TransactionOutput.mostSatoshis else { return abort(.dust) }
    draft.outputs.append(body)
    return keep(draft)
  }

  /// The draft that the other end may add to; nil if this end is the initiator.
  private func drafted(_ type: UInt16) throws(ChannelError) -> SpliceDraft? {
    switch link.splicing.talk?.stage {
    case .collecting(let draft): return draft
    case .adding: return nil
    default: throw .unexpectedMessage(type: type)
    }
  }

  private mutating func keep(_ draft: SpliceDraft) -> [ChannelFact] {
    link.splicing.talk?.stage = .collecting(draft)
    send(.transactionComplete(TransactionComplete(channel: record.id)))
    return []
  }

  mutating func heardComplete() throws(ChannelError) -> [ChannelFact] {
    switch link.splicing.talk?.stage {
    case .adding: return addNext()
    case .collecting(let draft): return agree(on: draft, isOurs: false)
    default: throw .unexpectedMessage(type: 70)
    }
  }

  /// Both have sent `tx_complete`. From here on the splice is durable.
  private mutating func agree(on draft: SpliceDraft, isOurs: Bool) -> [ChannelFact] {
    let splice: PendingSplice
    do throws(SpliceObjection) {
      splice = try draft.finished(isOurs: isOurs)
    } catch { return abort(error) }
    link.splicing.talk?.stage = .agreed
    record.splice = splice
    if isOurs { send(.transactionComplete(TransactionComplete(channel: record.id))) }
    send(spliceCommitment(splice))
    return []
  }
}
