import Crypto
import Ground

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
      takenSat: taken, fundingScript: script)
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
    do throws(SpliceObjection) { splice = try draft.finished(isOurs: isOurs) } catch { return abort(error) }
    link.splicing.talk?.stage = .agreed
    record.splice = splice
    if isOurs { send(.transactionComplete(TransactionComplete(channel: record.id))) }
    send(spliceCommitment(splice))
    return []
  }
}

// From the first signature to the new funding, across connections, processes and crashes.
extension Channel {
  /// The `commitment_signed` for the new funding. It has the current commitment's number and moves no HTLC.
  func spliceCommitment(_ splice: PendingSplice) -> Message {
    let signatures = record.htlcs.filter(\.state.isInRemoteCommitment).map { _ in Signature.zeros }
    return .commitmentSigned(
      CommitmentSigned(channel: record.id, htlcSignatures: signatures, funding: splice.id))
  }

  private func signatures(_ splice: PendingSplice) -> Message {
    .transactionSignatures(
      TransactionSignatures(channel: record.id, transaction: splice.id, sharedInputSignature: .zeros))
  }

  mutating func heardSpliceCommitment(_ body: CommitmentSigned) throws(ChannelError) -> [ChannelFact] {
    guard var splice = record.splice, splice.stage == .signing else { throw .unexpectedMessage(type: 132) }
    guard body.funding == splice.id else { throw .otherFunding }
    let expected = record.htlcs.filter(\.state.isInLocalCommitment).count
    guard body.htlcSignatures.count == expected else {
      throw .wrongSignatureCount(expected: expected, got: body.htlcSignatures.count)
    }
    splice.stage = .committed
    record.splice = splice
    // BOLT 2: the shared input counts as the initiator's, so the other end signs first.
    if !splice.isOurs { send(signatures(splice)) }
    return []
  }

  mutating func heardSignatures(_ body: TransactionSignatures) throws(ChannelError) -> [ChannelFact] {
    guard var splice = record.splice, splice.stage == .committed else { throw .unexpectedMessage(type: 71) }
    guard body.transaction == splice.id else { throw .otherFunding }
    guard body.sharedInputSignature != nil else { throw .lacksSharedSignature }
    // Neither end has an input of its own.
    guard body.witnesses.isEmpty else { throw .wrongSignatureCount(expected: 0, got: body.witnesses.count) }
    splice.stage = .signed
    record.splice = splice
    if splice.isOurs { send(signatures(splice)) }
    // Without a chain, a broadcast transaction counts as confirmed (Phoenix: zero-conf).
    send(.spliceLocked(SpliceLocked(channel: record.id, transaction: splice.id)))
    if link.splicing.heardLocked { move(to: splice) }
    return []
  }

  mutating func heardLocked(_ transaction: TransactionID) throws(ChannelError) -> [ChannelFact] {
    guard let splice = record.splice, splice.stage == .signed else { throw .unexpectedMessage(type: 77) }
    guard transaction == splice.id else { throw .otherFunding }
    move(to: splice)
    return []
  }

  /// Both have sent `splice_locked`. The amount was checked against the balance, which has not changed since.
  private mutating func move(to splice: PendingSplice) {
    if splice.isOurs {
      record.localMsat -= splice.totalMsat
    } else {
      record.remoteMsat -= splice.totalMsat
    }
    record.splicedTo = splice.funding
    record.splice = nil
    link.splicing.talk = nil
    link.splicing.heardLocked = false
  }

  // MARK: Reconnection

  /// Adds the fundings to `channel_reestablish`.
  func addFundings(to message: inout ChannelReestablish) {
    if let splice = record.splice, splice.stage != .signed {
      message.nextFunding = NextFunding(transaction: splice.id, needsCommitment: splice.stage == .signing)
    }
    guard link.splicing.side != nil || record.splice != nil || record.splicedTo != nil else { return }
    let isLocked = record.splice?.stage == .signed
    message.fundingLocked = FundingLocked(
      transaction: isLocked ? record.splice?.id ?? funding.transaction : funding.transaction)
  }

  /// Throws if one side has lost a splice that the other has completed. The commitment numbers do not show a splice.
  func checkFundings(_ theirs: ChannelReestablish) throws(ChannelError) {
    if let locked = theirs.fundingLocked?.transaction, locked != funding.transaction,
      locked != record.splice?.id
    {
      throw locked.hash == record.id ? .peerIsBehind(theirs: theirs) : .weAreBehind(theirs: theirs)
    }
    // The other end has both signatures for this funding: this side has lost the state in which it signed.
    if let splice = record.splice, !splice.hasSigned, theirs.fundingLocked?.transaction == splice.id {
      throw .weAreBehind(theirs: theirs)
    }
    guard let next = theirs.nextFunding?.transaction, next != record.splice?.id else { return }
    if next == funding.transaction { throw .peerIsBehind(theirs: theirs) }
    if let splice = record.splice, splice.stage != .signed { throw .conflictingSplices }
  }

  /// Sends lost messages of the splice again.
  mutating func resumeSplice(_ theirs: ChannelReestablish) {
    if let next = theirs.nextFunding, next.transaction != record.splice?.id { _ = abort(.unknownFunding) }
    guard let splice = record.splice else { return }
    if let next = theirs.nextFunding, next.transaction == splice.id {
      if splice.stage != .signed, next.needsCommitment { send(spliceCommitment(splice)) }
      if splice.stage == .signed || splice.stage == .committed && !splice.isOurs { send(signatures(splice)) }
    }
    guard theirs.fundingLocked?.transaction == splice.id else { return }
    if splice.stage == .signed { return move(to: splice) }
    link.splicing.heardLocked = true
  }
}

/// The reason for a `tx_abort`, which ends the negotiation of a splice and leaves the channel as it was.
struct SpliceObjection: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static let notBegunHere = Self("only this end may begin a splice: send no splice_init")
  static let addsNothing = Self(
    "only the initiator may add to this splice-out: add no input, output or contribution")
  static func feerate(lowest: UInt32, highest: UInt32) -> Self {
    Self("the feerate must be from \(lowest) to \(highest) sat per kw")
  }
  static let hasLockTime = Self("the lock time is not 0: use 0")
  static let notAKey = Self("the funding key is not a point on the curve: send a valid one")
  static let takesNothing = Self("only splice-outs are supported: use a contribution below zero")
  static let leavesTooLittle = Self("the new funding would be below the dust limit: withdraw less")
  static let foreignInput = Self("the splice may only spend the channel's funding: add no other input")
  static let otherFunding = Self("the input is not the current funding of this channel: spend the newest")
  static let cannotBeReplaced = Self("the sequence is above 0xFFFFFFFD: use a lower one")
  static let serial = Self("the serial id is odd or already used: send each even number once")
  static let dust = Self(
    "the output is below the dust limit or above 21 million bitcoin: change its amount, or omit it")
  static let scriptNotCarried = Self("the output's script is non-standard and not relayed: pay an address")
  static let tooManyOutputs = Self("a splice has only the new funding and one other output: add no more")
  static let lacksFunding = Self("the channel's funding is not spent: add it as an input")
  static let otherOutputs = Self("the outputs must be the new funding and one other")
  static func feeTooLow(leastSat least: UInt64) -> Self {
    Self("the fee is too low: pay at least \(AmountText.words(sat: least))")
  }
  static let unknownFunding = Self("this splice is unknown: forget it")
}

/// The transaction under negotiation.
struct SpliceDraft: Hashable, Codable, Sendable {
  var lockTime: UInt32
  var feeratePerKw: UInt32
  /// The channel's new capacity.
  var capacitySat: UInt64
  /// The amount withdrawn and the fee.
  var takenSat: UInt64
  var fundingScript: OutputScript
  var input: AddInput?
  var outputs: [AddOutput] = []

  /// In the order of the transaction.
  private var sorted: [AddOutput] { outputs.sorted { $0.serial < $1.serial } }

  var fundingIndex: Int? { sorted.firstIndex(where: isFunding) }

  private func isFunding(_ output: AddOutput) -> Bool {
    output.script == fundingScript.bytes && output.satoshis == capacitySat
  }

  private var paid: AddOutput? { outputs.first { !isFunding($0) } }
  var amountSat: UInt64 { paid?.satoshis ?? 0 }
  var target: OutputScript { OutputScript(paid?.script ?? []) }

  /// Nil without an input.
  var transaction: BitcoinTransaction? {
    guard let input, let previous = input.sharedInput else { return nil }
    return BitcoinTransaction(
      inputs: [
        TransactionInput(
          outPoint: OutPoint(transaction: previous, index: input.outputIndex), sequence: input.sequence)
      ],
      outputs: sorted.map { TransactionOutput(satoshis: $0.satoshis, script: OutputScript($0.script)) },
      lockTime: lockTime)
  }

  /// The negotiated splice; throws the reason for `tx_abort`.
  func finished(isOurs: Bool) throws(SpliceObjection) -> PendingSplice {
    guard let transaction else { throw .lacksFunding }
    guard outputs.count == 2, let fundingIndex, outputs.filter(isFunding).count == 1 else {
      throw .otherOutputs
    }
    let scripts = outputs.map { OutputScript($0.script) }
    let least = TransactionWeight.fee(TransactionWeight.splice(paying: scripts), perKw: feeratePerKw)
    guard amountSat <= takenSat, takenSat - amountSat >= least else { throw .feeTooLow(leastSat: least) }
    return PendingSplice(
      isOurs: isOurs, stage: .signing, transaction: Bytes(transaction.encodedWithoutWitnesses()),
      fundingIndex: UInt32(fundingIndex), amountSat: amountSat, feeSat: takenSat - amountSat)
  }
}
