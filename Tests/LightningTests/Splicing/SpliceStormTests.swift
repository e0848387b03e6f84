@testable import Lightning

@Suite struct SpliceStormTests {
  @Test
  func `In 300 random runs with splices and faults both ends agree on one funding, and no amount is lost`()
    throws
  {
    var done = 0
    var wanted = 0
    for seed in UInt64(1)...300 {
      var storm = try ChannelStorm(seed: seed, splicing: true)
      for _ in 0..<300 {
        try storm.step()
        for side in storm.sides {
          let taken = try #require(storm.splices?.takenMsat(with: side.channel), "seed \(seed)")
          try #require(side.channel.capacityMsat + taken == storm.capacity, "seed \(seed)")
        }
      }
      try storm.heal()
      let (left, right) = (storm.sides[0].channel, storm.sides[1].channel)
      #expect(left.mayUpdate && right.mayUpdate, "seed \(seed)")
      expect(left.funding, is: right.funding, "seed \(seed)")
      #expect(left.htlcs.isEmpty && left.localMsat == right.remoteMsat, "seed \(seed)")
      expect(left.remoteMsat, is: right.localMsat, "seed \(seed)")
      expect(storm.splices?.violations, is: [], "seed \(seed)")
      done += storm.splices?.takenMsat(with: left) == 0 ? 0 : 1
      wanted += storm.splices?.wanted ?? 0
    }
    // Although most steps are faults, most storms complete a splice.
    #expect(done > 200)
    #expect(wanted > 1000)
  }
}

/// The LSP's answer to an invalid splice message: `tx_abort` before any signature, otherwise a disconnect. The
/// channel is unchanged.
@Suite("Refused splice messages") struct SpliceRefusalTests {
  private static let first = TransactionID(hash: channelID)

  /// The LSP's channel, quiescent, after these messages.
  private func provider(_ messages: [Message] = []) throws -> Channel {
    var (peer, _) = try splicingPair()
    _ = try peer.receive(.quiescence(Quiescence(channel: channelID, isInitiator: true)))
    _ = peer.takeOutgoing()
    for message in messages {
      _ = try peer.receive(message)
      _ = peer.takeOutgoing()
    }
    return peer
  }

  private static func start(
    _ contribution: Int64 = -5000, feerate: UInt32 = 1000, lockTime: UInt32 = 0,
    key: CurvePoint = walletSide.key
  ) -> Message {
    .spliceInit(
      SpliceInit(
        channel: channelID, contribution: contribution, feeratePerKw: feerate, lockTime: lockTime,
        fundingKey: key))
  }

  private static func input(
    _ serial: UInt64 = 0, _ funding: TransactionID? = first, index: UInt32 = 0,
    sequence: UInt32 = 0xffff_fffd, previous: Bytes = []
  ) -> Message {
    .addInput(
      AddInput(
        channel: channelID, serial: serial, previous: previous, outputIndex: index, sequence: sequence,
        sharedInput: funding))
  }

  private static func output(_ serial: UInt64, _ satoshis: UInt64, _ script: OutputScript) -> Message {
    .addOutput(AddOutput(channel: channelID, serial: serial, satoshis: satoshis, script: script.bytes))
  }

  private static let funding = FundingScript.output(walletSide.key, providerSide.key)
  private static let whole: [Message] = [
    start(), input(), output(2, 95_000, funding), output(4, 4000, targetScript),
  ]
  private static let complete = Message.transactionComplete(TransactionComplete(channel: channelID))

  private func expectAbort(_ before: [Message], _ message: Message, _ objection: SpliceObjection) throws {
    var peer = try provider(before)
    let record = peer.record
    let facts = try peer.receive(message)
    expect(facts, is: [.spliceGivenUp(objection.description)], "\(message)")
    let abort = TransactionAbort(channel: channelID, text: objection.description)
    expect(plain(peer.takeOutgoing()), is: [.transactionAbort(abort)], "\(message)")
    expect(peer.record, is: record)
    // The abort is sent once, and the peer's answer to it is not answered.
    _ = try peer.receive(.transactionAbort(TransactionAbort(channel: channelID)))
    expect(plain(peer.takeOutgoing()), is: [])
    #expect(throws: ChannelError.self) { try peer.receive(message) }
  }

  @Test func `An invalid splice_init is refused`() throws {
    try expectAbort([], Self.start(feerate: 252), .feerate(lowest: 253, highest: 10_000))
    try expectAbort([], Self.start(feerate: 10_001), .feerate(lowest: 253, highest: 10_000))
    try expectAbort([], Self.start(0), .takesNothing)
    try expectAbort([], Self.start(5000), .takesNothing)
    try expectAbort([], Self.start(lockTime: 1), .hasLockTime)
    try expectAbort([], Self.start(key: .zeros), .notAKey)
    var peer = try provider()
    #expect(throws: ChannelError.spliceAboveBalance(availableSat: 10_000)) {
      try peer.receive(Self.start(-10_001))
    }
    #expect(throws: ChannelError.spliceAboveBalance(availableSat: 10_000)) {
      try peer.receive(Self.start(.min))
    }
  }

  @Test
  func `A splice spends only the channel's funding; each input and output is checked on receipt`() throws {
    let begun = [Self.start()]
    let other = TransactionID(hash: paymentHash(1))
    try expectAbort(begun, Self.input(0, other), .otherFunding)
    try expectAbort(begun, Self.input(0, Self.first, index: 1), .otherFunding)
    try expectAbort(begun, Self.input(0, nil), .foreignInput)
    try expectAbort(begun, Self.input(0, Self.first, previous: [1]), .foreignInput)
    try expectAbort(begun + [Self.input()], Self.input(2), .foreignInput)
    try expectAbort(begun, Self.input(0, Self.first, sequence: 0xffff_fffe), .cannotBeReplaced)
    try expectAbort(begun, Self.input(1), .serial)
    try expectAbort(begun, Self.output(3, 4000, targetScript), .serial)
    try expectAbort(begun + [Self.output(2, 4000, targetScript)], Self.output(2, 4000, targetScript), .serial)
    try expectAbort(begun, Self.output(2, 293, targetScript), .dust)
    try expectAbort(begun, Self.output(2, 2_100_000_000_000_001, targetScript), .dust)
    try expectAbort(begun, Self.output(2, 4000, OutputScript([1, 2, 3])), .scriptNotCarried)
    try expectAbort(Self.whole, Self.output(6, 4000, targetScript), .tooManyOutputs)
  }

  @Test
  func `A splice without the funding input, with a missing or wrong output, or too low a fee is not signed`()
    throws
  {
    try expectAbort([Self.start()], Self.complete, .lacksFunding)
    try expectAbort(Array(Self.whole.dropLast()), Self.complete, .otherOutputs)
    let twice = Self.whole.dropLast() + [Self.output(4, 95_000, Self.funding)]
    try expectAbort(Array(twice), Self.complete, .otherOutputs)
    let otherAmount =
      Self.whole.prefix(2) + [
        Self.output(2, 94_999, Self.funding), Self.output(4, 4000, targetScript),
      ]
    try expectAbort(Array(otherAmount), Self.complete, .otherOutputs)
    let least = SpliceRequest(amountSat: 4000, script: targetScript).feeSat
    let greedy = Self.whole.prefix(3) + [Self.output(4, 5000 - least + 1, targetScript)]
    try expectAbort(Array(greedy), Self.complete, .feeTooLow(leastSat: least))
    let exact = Self.whole.prefix(3) + [Self.output(4, 5000 - least, targetScript)]
    var peer = try provider(Array(exact))
    expect(try peer.receive(Self.complete), is: [])
    #expect(peer.pendingSplice?.feeSat == least && peer.pendingSplice?.isOurs == false)
  }

  @Test func `A splice message out of order is refused and leaves the channel unchanged`() throws {
    let early: [Message] = [
      .spliceAck(SpliceAck(channel: channelID, fundingKey: walletSide.key)), Self.complete, Self.input(),
      Self.output(2, 4000, targetScript),
      .transactionSignatures(
        TransactionSignatures(channel: channelID, transaction: Self.first, sharedInputSignature: .zeros)),
      .spliceLocked(SpliceLocked(channel: channelID, transaction: Self.first)),
    ]
    for message in early + [Self.start()] {
      var (peer, wallet) = try splicingPair()
      let before = (peer, wallet)
      #expect(throws: ChannelError.unexpectedMessage(type: message.type)) { try peer.receive(message) }
      #expect(throws: ChannelError.unexpectedMessage(type: message.type)) { try wallet.receive(message) }
      #expect(peer == before.0 && wallet == before.1)
    }
    for message in early {
      var peer = try provider()
      #expect(throws: ChannelError.unexpectedMessage(type: message.type)) { try peer.receive(message) }
    }
    let stfu = Message.quiescence(Quiescence(channel: channelID, isInitiator: true))
    var peer = try provider()
    #expect(throws: ChannelError.unexpectedMessage(type: 2)) { try peer.receive(stfu) }
    let update = Message.addHTLC(
      AddHTLC(channel: channelID, id: 0, amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 700))
    #expect(throws: ChannelError.updateDuringSplice(type: 128)) { try peer.receive(update) }
    peer = try provider(Self.whole + [Self.complete])
    peer.disconnected()
    _ = peer.reestablish(splicing: providerSide)
    var wallet = try Channel(id: channelID, localMsat: 10_000_000, remoteMsat: 90_000_000, isOpener: false)
    _ = try peer.receive(wallet.reestablish(splicing: walletSide))
    #expect(throws: ChannelError.updateDuringSplice(type: 128)) { try peer.receive(update) }
  }

  @Test
  func `Signatures that name another transaction, are incomplete, or come out of order are refused`() throws {
    var both = try SpliceDialogue.begun(until: 132)
    let splice = try #require(both.wallet.pendingSplice)
    for message in both.held { _ = try? both.peer.receive(message) }
    func commitment(_ id: TransactionID?, _ count: Int = 0) -> Message {
      .commitmentSigned(
        CommitmentSigned(
          channel: channelID, htlcSignatures: Array(repeating: .zeros, count: count), funding: id))
    }
    var wallet = both.wallet
    #expect(throws: ChannelError.otherFunding) { try wallet.receive(commitment(nil)) }
    #expect(throws: ChannelError.otherFunding) { try wallet.receive(commitment(Self.first)) }
    #expect(throws: ChannelError.wrongSignatureCount(expected: 0, got: 1)) {
      try wallet.receive(commitment(splice.id, 1))
    }
    func signatures(_ id: TransactionID, _ signature: Signature?, _ witnesses: [Bytes] = []) -> Message {
      .transactionSignatures(
        TransactionSignatures(
          channel: channelID, transaction: id, witnesses: witnesses, sharedInputSignature: signature))
    }
    #expect(throws: ChannelError.unexpectedMessage(type: 71)) {
      try wallet.receive(signatures(splice.id, .zeros))
    }
    _ = try wallet.receive(commitment(splice.id))
    #expect(throws: ChannelError.unexpectedMessage(type: 132)) { try wallet.receive(commitment(splice.id)) }
    #expect(throws: ChannelError.otherFunding) { try wallet.receive(signatures(Self.first, .zeros)) }
    #expect(throws: ChannelError.lacksSharedSignature) { try wallet.receive(signatures(splice.id, nil)) }
    expect(ChannelError.lacksSharedSignature.message(about: channelID).type, is: 17)
    #expect(throws: ChannelError.wrongSignatureCount(expected: 0, got: 1)) {
      try wallet.receive(signatures(splice.id, .zeros, [[0]]))
    }
    _ = try wallet.receive(signatures(splice.id, .zeros))
    expect(plain(wallet.takeOutgoing()).map(\.type).suffix(2), is: [71, 77])
    let locked = Message.spliceLocked(SpliceLocked(channel: channelID, transaction: Self.first))
    #expect(throws: ChannelError.otherFunding) { try wallet.receive(locked) }
  }

  @Test func `The wallet accepts no contribution of the peer, and no splice that the peer begins`() throws {
    for message in [Self.input(1), Self.output(1, 4000, targetScript)] {
      var both = try SpliceDialogue.begun(until: 66)
      expect(try both.wallet.receive(message), is: [.spliceGivenUp(SpliceObjection.addsNothing.description)])
    }
    var both = try SpliceDialogue.begun(until: 81)
    let ack = SpliceAck(channel: channelID, contribution: 1, fundingKey: providerSide.key)
    expect(
      try both.wallet.receive(.spliceAck(ack)), is: [.spliceGivenUp(SpliceObjection.addsNothing.description)])
    var (_, wallet) = try splicingPair()
    _ = try wallet.receive(.quiescence(Quiescence(channel: channelID, isInitiator: true)))
    expect(plain(wallet.takeOutgoing()).map(\.type), is: [2])
    expect(try wallet.receive(Self.start()), is: [.spliceGivenUp(SpliceObjection.notBegunHere.description)])
    expect(plain(wallet.takeOutgoing()).map(\.type), is: [74])
  }

  @Test func `On simultaneous stfu the channel opener goes first, and the wallet's request fails`() throws {
    var (_, wallet) = try splicingPair()
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    expect(plain(wallet.takeOutgoing()).map(\.type), is: [2])
    let facts = try wallet.receive(.quiescence(Quiescence(channel: channelID, isInitiator: true)))
    expect(facts, is: [.spliceGivenUp("the peer is the initiator of another splice")])
  }
}
