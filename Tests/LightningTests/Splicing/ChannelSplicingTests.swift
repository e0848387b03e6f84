@testable import Lightning

@Suite("Splicing out of a channel") struct ChannelSplicingTests {
  private static let request = SpliceRequest(amountSat: 4000, script: targetScript)

  @Test
  func `A splice-out takes amount and fee from the wallet's balance once, in BOLT 2's message order`() throws
  {
    let both = try SpliceDialogue.begun()
    expect(both.said, is: [2, 2, 80, 81, 66, 70, 67, 70, 67, 70, 70, 132, 132, 71, 71, 77, 77])
    expect(both.wallet.localMsat, is: 10_000_000 - (4000 + Self.request.feeSat) * 1000)
    expect(both.wallet.remoteMsat, is: 90_000_000)
    #expect(both.peer.remoteMsat == both.wallet.localMsat && both.peer.localMsat == 90_000_000)
    expect(both.wallet.funding, is: both.peer.funding)
    #expect(both.wallet.funding != OutPoint(transaction: TransactionID(hash: channelID), index: 0))
    #expect(both.wallet.pendingSplice == nil && both.peer.pendingSplice == nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
    expect(both.wallet.record.localCommitmentNumber, is: 0)
  }

  @Test
  func `The splice transaction spends the old funding and pays the address and the new funding`() throws {
    var both = SpliceDialogue(try splicingPair())
    let before = both.wallet.funding
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 132)
    let splice = try #require(both.wallet.pendingSplice)
    let transaction = try BitcoinTransaction(decoding: splice.transaction.array)
    expect(transaction.id, is: splice.id)
    expect(transaction.inputs.map(\.outPoint), is: [before])
    let fee = Self.request.feeSat
    expect(
      transaction.outputs,
      is: [
        TransactionOutput(
          satoshis: 100_000 - 4000 - fee, script: FundingScript.output(walletSide.key, providerSide.key)),
        TransactionOutput(satoshis: 4000, script: targetScript),
      ])
    #expect(splice.feeSat == fee && splice.funding == OutPoint(transaction: splice.id, index: 0))
    // Both sides count the weight of the whole transaction, with its longest witness.
    expect(fee, is: UInt64(TransactionWeight.splice(paying: transaction.outputs.map(\.script))))
  }

  @Test func `A second splice spends the first splice's funding`() throws {
    var both = try SpliceDialogue.begun()
    let first = both.wallet.funding
    try both.wallet.beginSplice(SpliceRequest(amountSat: 1000, script: targetScript))
    try both.run(until: 132)
    let splice = try #require(both.wallet.pendingSplice)
    expect(try BitcoinTransaction(decoding: splice.transaction.array).inputs.map(\.outPoint), is: [first])
  }

  @Test func `Committed HTLCs survive a splice and are settled afterwards`() throws {
    var (peer, wallet) = try splicingPair()
    _ = try peer.offer(amountMsat: 5_000_000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try settle(&peer, &wallet)
    var both = SpliceDialogue((peer, wallet))
    try both.wallet.beginSplice(Self.request)
    #expect(throws: ChannelError.spliceUnderWay) { try both.wallet.fulfill(0) }
    try both.run(until: 71)
    expect(both.wallet.htlcs.map(\.state), is: [.receivedAddAckRevocation])
    #expect(throws: ChannelError.spliceUnderWay) {
      try both.peer.offer(amountMsat: 1, paymentHash: paymentHash(2), cltvExpiry: 700)
    }
    try reconnect(&both.peer, &both.wallet)
    both.held = []
    try both.run()
    try both.wallet.fulfill(0)
    _ = try settle(&both.wallet, &both.peer, preimages: [paymentHash(1): preimage(1)])
    #expect(both.wallet.htlcs == [] && both.peer.htlcs == [])
    expect(both.peer.localMsat, is: 85_000_000)
    expect(both.wallet.capacityMsat, is: 100_000_000 - (4000 + Self.request.feeSat) * 1000)
  }

  @Test func `Pending updates complete on both sides before stfu`() throws {
    var both = SpliceDialogue(try splicingPair())
    _ = try both.wallet.offer(amountMsat: 1_000_000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try both.peer.offer(amountMsat: 2_000_000, paymentHash: paymentHash(2), cltvExpiry: 700)
    try both.wallet.beginSplice(Self.request)
    try both.run()
    let stfu = try #require(both.said.firstIndex(of: 2))
    #expect(both.said[..<stfu].contains(128))
    #expect(!both.said[stfu...].contains(128) && !both.said[stfu...].contains(133))
    #expect(both.wallet.funding == both.peer.funding && both.wallet.record.splicedTo != nil)
  }

  @Test(arguments: [2, 80, 81, 66, 67, 70] as [UInt16])
  func `A disconnect before any signature leaves no splice on either side`(type: UInt16) throws {
    var both = SpliceDialogue(try splicingPair())
    let before = both.wallet.record
    try both.wallet.beginSplice(Self.request)
    try both.run(until: type)
    try reconnect(&both.peer, &both.wallet)
    #expect(both.wallet.record == before && both.peer.pendingSplice == nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
  }

  @Test(arguments: [132, 71, 77] as [UInt16])
  func `After a disconnect at commitment_signed or later a splice resumes, whichever side restarts`(
    type: UInt16
  ) throws {
    for restarts in 0..<4 {
      var both = try SpliceDialogue.begun(until: type)
      if type == 132, both.peer.pendingSplice == nil {
        // The last `tx_complete` is lost as well: only the wallet has signed.
        _ = both.peer
      }
      if restarts & 1 == 1 { both.peer = try Channel(restoring: both.peer.record) }
      if restarts & 2 == 2 { both.wallet = try Channel(restoring: both.wallet.record) }
      try reconnect(&both.peer, &both.wallet)
      both.held = []
      try both.run()
      expect(both.wallet.funding, is: both.peer.funding)
      #expect(both.wallet.record.splicedTo != nil)
      #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
    }
  }

  @Test func `If only one side has signed, it forgets the splice at a tx_abort after the reconnect`() throws {
    var both = try SpliceDialogue.begun(until: 66)
    let peer = both.peer
    both.held.forEach { _ = try? both.peer.receive($0) }
    both.held = []
    try both.run(until: 132)
    expect(both.wallet.pendingSplice?.stage, is: .signing)
    both.peer = peer
    try reconnect(&both.peer, &both.wallet)
    both.held = []
    both.said = []
    try both.run()
    expect(both.said, is: [74, 74])
    #expect(both.wallet.pendingSplice == nil && both.wallet.record.splicedTo == nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
  }

  @Test func `After tx_signatures a tx_abort is refused and the splice is kept`() throws {
    let both = try SpliceDialogue.begun(until: 77)
    let abort = Message.transactionAbort(TransactionAbort(channel: channelID))
    for side in [both.peer, both.wallet] {
      var side = side
      let before = side.record
      #expect(throws: ChannelError.unexpectedMessage(type: 74)) { try side.receive(abort) }
      expect(side.record, is: before)
    }
  }

  @Test
  func `The non-initiator sends tx_signatures first and then refuses tx_abort; the initiator accepts it`()
    throws
  {
    var both = try SpliceDialogue.begun(until: 71)
    #expect(both.peer.pendingSplice?.stage == .committed && both.wallet.pendingSplice?.stage == .committed)
    let abort = Message.transactionAbort(TransactionAbort(channel: channelID))
    #expect(throws: ChannelError.unexpectedMessage(type: 74)) { try both.peer.receive(abort) }
    _ = try both.wallet.receive(abort)
    #expect(both.wallet.pendingSplice == nil && plain(both.wallet.takeOutgoing()).map(\.type) == [74])
  }

  @Test func `Lost tx_signatures and splice_locked are exchanged after a reconnect`() throws {
    var both = try SpliceDialogue.begun(until: 71)
    for message in both.held { _ = try both.wallet.receive(message) }
    both.held = []
    expect(plain(both.wallet.takeOutgoing()).map(\.type), is: [71, 77])
    try reconnect(&both.peer, &both.wallet)
    both.said = []
    try both.run()
    // The wallet's splice_locked was in its channel_reestablish, when the peer had no signatures yet.
    expect(both.said, is: [71, 77])
    #expect(both.wallet.funding == both.peer.funding && both.wallet.record.splicedTo != nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
  }

  @Test func `Both sides detect a channel state from before a splice`() throws {
    var both = SpliceDialogue(try splicingPair())
    let old = both.wallet.record
    try both.wallet.beginSplice(Self.request)
    try both.run()
    var wallet = try Channel(restoring: old)
    both.peer.disconnected()
    let fromPeer = both.peer.reestablish(splicing: providerSide)
    let fromWallet = wallet.reestablish(splicing: walletSide)
    #expect { try wallet.receive(fromPeer) } throws: {
      if case .weAreBehind? = $0 as? ChannelError { true } else { false }
    }
    #expect { try both.peer.receive(fromWallet) } throws: {
      if case .peerIsBehind? = $0 as? ChannelError { true } else { false }
    }
  }

  @Test
  func `A wallet restored to an earlier stage of a splice detects this from the peer's channel_reestablish`()
    throws
  {
    var both = try SpliceDialogue.begun(until: 71)
    expect(both.wallet.record.splice?.stage, is: .committed)
    let old = both.wallet.record
    for message in both.held { _ = try both.wallet.receive(message) }
    let signatures = try #require(plain(both.wallet.takeOutgoing()).first { $0.type == 71 })
    _ = try both.peer.receive(signatures)
    // The peer has both signatures; its splice_locked is in flight.
    expect(both.peer.record.splice?.stage, is: .signed)
    var wallet = try Channel(restoring: old)
    both.peer.disconnected()
    let fromPeer = both.peer.reestablish(splicing: providerSide)
    _ = wallet.reestablish(splicing: walletSide)
    #expect { try wallet.receive(fromPeer) } throws: {
      if case .weAreBehind? = $0 as? ChannelError { true } else { false }
    }
  }

  @Test
  func `A channel with a pending splice is decoded unchanged, and a record with a damaged splice is refused`()
    throws
  {
    var both = try SpliceDialogue.begun(until: 71)
    for channel in [both.wallet, both.peer] {
      let record = channel.record
      expect(try Channel(decoding: channel.encoded()).record, is: record)
      var damaged = record
      damaged.splice?.amountSat += 1
      #expect(throws: ChannelError.self) { try Channel(restoring: damaged) }
      damaged = record
      damaged.splice?.fundingIndex = 1
      #expect(throws: ChannelError.self) { try Channel(restoring: damaged) }
      damaged = record
      damaged.splicedTo = OutPoint(transaction: TransactionID(hash: channelID), index: 3)
      #expect(throws: ChannelError.self) { try Channel(restoring: damaged) }
      for count in 0..<channel.encoded().count {
        #expect(throws: ChannelError.self) { try Channel(decoding: Array(channel.encoded().prefix(count))) }
      }
    }
    try both.run()
    expect(try Channel(decoding: both.wallet.encoded()).record, is: both.wallet.record)
  }

  @Test func `A splice below dust, above the balance or without the feature is refused`() throws {
    var (_, wallet) = try splicingPair()
    let before = wallet
    func refusal(_ amount: UInt64, _ script: OutputScript = targetScript) -> ChannelError? {
      do throws(ChannelError) {
        try wallet.beginSplice(SpliceRequest(amountSat: amount, script: script))
        return nil
      } catch { return error }
    }
    let fee = Self.request.feeSat
    expect(refusal(293), is: .belowDust(leastSat: 294))
    expect(refusal(10_000 - fee + 1), is: .spliceAboveBalance(availableSat: 10_000 - fee))
    expect(refusal(.max), is: .spliceAboveBalance(availableSat: 10_000 - fee))
    expect(refusal(1000, OutputScript([1, 2, 3])), is: .belowDust(leastSat: 0))
    expect(wallet, is: before)
    #expect(refusal(10_000 - fee) == nil)
    expect(refusal(1000), is: .spliceUnderWay)
    wallet.disconnected()
    expect(refusal(1000), is: .notReestablished)
    var (_, poor) = try splicingPair(peerMsat: 0, walletMsat: 500_000)
    #expect(throws: ChannelError.spliceAboveBalance(availableSat: 0)) {
      try poor.beginSplice(SpliceRequest(amountSat: 0, script: OutputScript([0x6a])))
    }
    var (peer, plain) = try channelPair(peerMsat: 90_000_000, walletMsat: 10_000_000)
    #expect(throws: ChannelError.doesNotSplice) { try plain.beginSplice(Self.request) }
    #expect(throws: ChannelError.doesNotSplice) { try peer.beginSplice(Self.request) }
  }

  @Test func `A late answer to tx_abort does not end a newer splice`() throws {
    var (_, wallet) = try splicingPair()
    wallet.link.splicing.awaitsAbort = true
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    _ = wallet.takeOutgoing()
    let answer = Message.transactionAbort(TransactionAbort(channel: channelID))
    expect(try wallet.receive(answer), is: [])
    #expect(wallet.link.splicing.talk?.stage != .over && wallet.takeOutgoing() == [])
    expect(try wallet.receive(answer), is: [.spliceGivenUp("")], "the next tx_abort is the peer's own")
  }
}
