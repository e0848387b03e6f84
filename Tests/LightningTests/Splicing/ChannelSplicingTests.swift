import Crypto
import Testing

@testable import Bitcoin
@testable import LightningWire
@testable import LightningChannel

@Suite("Splices out of a channel") struct ChannelSplicingTests {
  private static let request = SpliceRequest(amountSat: 4000, script: targetScript)

  @Test("The money leaves once, with the fee, by messages in the order of BOLT 2")
  func done() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run()
    #expect(
      both.said == [2, 2, 80, 81, 66, 70, 67, 70, 67, 70, 70, 132, 132, 71, 71, 77, 77])
    #expect(both.wallet.localMsat == 10_000_000 - (4000 + Self.request.feeSat) * 1000)
    #expect(both.wallet.remoteMsat == 90_000_000)
    #expect(both.peer.remoteMsat == both.wallet.localMsat && both.peer.localMsat == 90_000_000)
    #expect(both.wallet.funding == both.peer.funding)
    #expect(both.wallet.funding != OutPoint(transaction: TransactionID(hash: channelID), index: 0))
    #expect(both.wallet.pendingSplice == nil && both.peer.pendingSplice == nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
    #expect(both.wallet.record.localCommitmentNumber == 0)
  }

  @Test("The transaction spends the funding of before, and pays the address and the funding of both keys")
  func transaction() throws {
    var both = SpliceDialogue(try splicingPair())
    let before = both.wallet.funding
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 132)
    let splice = try #require(both.wallet.pendingSplice)
    let transaction = try BitcoinTransaction(decoding: splice.transaction.array)
    #expect(transaction.id == splice.id)
    #expect(transaction.inputs.map(\.outPoint) == [before])
    let fee = Self.request.feeSat
    #expect(
      transaction.outputs == [
        TransactionOutput(
          satoshis: 100_000 - 4000 - fee, script: FundingScript.output(walletSide.key, providerSide.key)),
        TransactionOutput(satoshis: 4000, script: targetScript),
      ])
    #expect(splice.feeSat == fee && splice.funding == OutPoint(transaction: splice.id, index: 0))
    // The weight that both count is that of the whole transaction, with its witness at its longest.
    #expect(fee == UInt64(TransactionWeight.splice(paying: transaction.outputs.map(\.script))))
  }

  @Test("A second splice spends what the first one made")
  func again() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run()
    let first = both.wallet.funding
    try both.wallet.beginSplice(SpliceRequest(amountSat: 1000, script: targetScript))
    try both.run(until: 132)
    let splice = try #require(both.wallet.pendingSplice)
    #expect(try BitcoinTransaction(decoding: splice.transaction.array).inputs.map(\.outPoint) == [first])
  }

  @Test("HTLCs that are in the channel for good stay as they are, and are settled afterwards")
  func htlcs() throws {
    var (peer, wallet) = try splicingPair()
    _ = try peer.offer(amountMsat: 5_000_000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try settle(&peer, &wallet)
    var both = SpliceDialogue((peer, wallet))
    try both.wallet.beginSplice(Self.request)
    #expect(throws: ChannelError.spliceUnderWay) { try both.wallet.fulfill(0) }
    try both.run(until: 71)
    #expect(both.wallet.htlcs.map(\.state) == [.receivedAddAckRevocation])
    #expect(throws: ChannelError.spliceUnderWay) {
      try both.peer.offer(amountMsat: 1, paymentHash: paymentHash(2), cltvExpiry: 700)
    }
    try reconnect(&both.peer, &both.wallet)
    both.held = []
    try both.run()
    try both.wallet.fulfill(0)
    _ = try settle(&both.wallet, &both.peer, preimages: [paymentHash(1): preimage(1)])
    #expect(both.wallet.htlcs == [] && both.peer.htlcs == [])
    #expect(both.peer.localMsat == 85_000_000)
    #expect(both.wallet.capacityMsat == 100_000_000 - (4000 + Self.request.feeSat) * 1000)
  }

  @Test("What is on its way comes to rest first, at both ends")
  func rest() throws {
    var both = SpliceDialogue(try splicingPair())
    _ = try both.wallet.offer(amountMsat: 1_000_000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try both.peer.offer(amountMsat: 2_000_000, paymentHash: paymentHash(2), cltvExpiry: 700)
    try both.wallet.beginSplice(Self.request)
    try both.run()
    let rest = try #require(both.said.firstIndex(of: 2))
    #expect(both.said[..<rest].contains(128))
    #expect(!both.said[rest...].contains(128) && !both.said[rest...].contains(133))
    #expect(both.wallet.funding == both.peer.funding && both.wallet.record.splicedTo != nil)
  }

  @Test(
    "A cut before anything is signed leaves nothing, at both ends",
    arguments: [2, 80, 81, 66, 67, 70] as [UInt16])
  func nothingSigned(type: UInt16) throws {
    var both = SpliceDialogue(try splicingPair())
    let before = both.wallet.record
    try both.wallet.beginSplice(Self.request)
    try both.run(until: type)
    try reconnect(&both.peer, &both.wallet)
    #expect(both.wallet.record == before && both.peer.pendingSplice == nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
  }

  @Test("A cut behind a signature is gone on from, whoever restarts", arguments: [132, 71, 77] as [UInt16])
  func resumed(type: UInt16) throws {
    for restarts in 0..<4 {
      var both = SpliceDialogue(try splicingPair())
      try both.wallet.beginSplice(Self.request)
      try both.run(until: type)
      if type == 132, both.peer.pendingSplice == nil {
        // The last `tx_complete` is lost with it: only the wallet is bound, and is told to forget.
        _ = both.peer
      }
      if restarts & 1 == 1 { both.peer = try Channel(restoring: both.peer.record) }
      if restarts & 2 == 2 { both.wallet = try Channel(restoring: both.wallet.record) }
      try reconnect(&both.peer, &both.wallet)
      both.held = []
      try both.run()
      #expect(both.wallet.funding == both.peer.funding)
      #expect(both.wallet.record.splicedTo != nil)
      #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
    }
  }

  @Test("Who alone has signed is told to forget it, and does")
  func forgotten() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 66)
    let peer = both.peer
    both.held.forEach { _ = try? both.peer.receive($0) }
    both.held = []
    try both.run(until: 132)
    #expect(both.wallet.pendingSplice?.stage == .signing)
    both.peer = peer
    try reconnect(&both.peer, &both.wallet)
    both.held = []
    both.said = []
    try both.run()
    #expect(both.said == [74, 74])
    #expect(both.wallet.pendingSplice == nil && both.wallet.record.splicedTo == nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
  }

  @Test("Who has signed the transaction forgets nothing, whatever is said")
  func signed() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 77)
    let abort = Message.transactionAbort(TransactionAbort(channel: channelID))
    for side in [both.peer, both.wallet] {
      var side = side
      let before = side.record
      #expect(throws: ChannelError.unexpectedMessage(type: 74)) { try side.receive(abort) }
      #expect(side.record == before)
    }
  }

  @Test("Who does not own the money signs first, and from then on forgets nothing; the owner still may")
  func signedFirst() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 71)
    #expect(both.peer.pendingSplice?.stage == .committed && both.wallet.pendingSplice?.stage == .committed)
    let abort = Message.transactionAbort(TransactionAbort(channel: channelID))
    #expect(throws: ChannelError.unexpectedMessage(type: 74)) { try both.peer.receive(abort) }
    _ = try both.wallet.receive(abort)
    #expect(both.wallet.pendingSplice == nil && plain(both.wallet.takeOutgoing()).map(\.type) == [74])
  }

  @Test("The last signatures are lost with splice_locked: the next connection makes up for both")
  func lastSignaturesLost() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 71)
    for message in both.held { _ = try both.wallet.receive(message) }
    both.held = []
    #expect(plain(both.wallet.takeOutgoing()).map(\.type) == [71, 77])
    try reconnect(&both.peer, &both.wallet)
    both.said = []
    try both.run()
    // The wallet's splice_locked stood in its channel_reestablish, before there was a signature that it could be about.
    #expect(both.said == [71, 77])
    #expect(both.wallet.funding == both.peer.funding && both.wallet.record.splicedTo != nil)
    #expect(both.wallet.mayUpdate && both.peer.mayUpdate)
  }

  @Test("A state from before a splice is not spoken from: the other end proves that it is old")
  func oldState() throws {
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

  @Test(
    "A wallet that has lost what it signed with does not take the splice for unsigned: the peer has said that it is done"
  )
  func oldStage() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 71)
    #expect(both.wallet.record.splice?.stage == .committed)
    let old = both.wallet.record
    for message in both.held { _ = try both.wallet.receive(message) }
    let signatures = try #require(plain(both.wallet.takeOutgoing()).first { $0.type == 71 })
    _ = try both.peer.receive(signatures)
    // The peer has both signatures; its splice_locked is on its way.
    #expect(both.peer.record.splice?.stage == .signed)
    var wallet = try Channel(restoring: old)
    both.peer.disconnected()
    let fromPeer = both.peer.reestablish(splicing: providerSide)
    _ = wallet.reestablish(splicing: walletSide)
    #expect { try wallet.receive(fromPeer) } throws: {
      if case .weAreBehind? = $0 as? ChannelError { true } else { false }
    }
  }

  @Test("Through its bytes and through columns it is the same, and damage is told")
  func coding() throws {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(Self.request)
    try both.run(until: 71)
    for channel in [both.wallet, both.peer] {
      let record = channel.record
      #expect(try Channel(decoding: channel.encoded()).record == record)
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
    #expect(try Channel(decoding: both.wallet.encoded()).record == both.wallet.record)
  }

  @Test("What cannot be taken is refused before anything is said")
  func refused() throws {
    var (_, wallet) = try splicingPair()
    let before = wallet
    func refusal(_ amount: UInt64, _ script: OutputScript = targetScript) -> ChannelError? {
      do throws(ChannelError) {
        try wallet.beginSplice(SpliceRequest(amountSat: amount, script: script))
        return nil
      } catch { return error }
    }
    let fee = Self.request.feeSat
    #expect(refusal(293) == .belowDust(leastSat: 294))
    #expect(refusal(10_000 - fee + 1) == .spliceAboveBalance(availableSat: 10_000 - fee))
    #expect(refusal(.max) == .spliceAboveBalance(availableSat: 10_000 - fee))
    #expect(refusal(1000, OutputScript([1, 2, 3])) == .belowDust(leastSat: 0))
    #expect(wallet == before)
    #expect(refusal(10_000 - fee) == nil)
    #expect(refusal(1000) == .spliceUnderWay)
    wallet.disconnected()
    #expect(refusal(1000) == .notReestablished)
    var (_, poor) = try splicingPair(peerMsat: 0, walletMsat: 500_000)
    #expect(throws: ChannelError.spliceAboveBalance(availableSat: 0)) {
      try poor.beginSplice(SpliceRequest(amountSat: 0, script: OutputScript([0x6a])))
    }
    var (peer, plain) = try channelPair(peerMsat: 90_000_000, walletMsat: 10_000_000)
    #expect(throws: ChannelError.doesNotSplice) { try plain.beginSplice(Self.request) }
    #expect(throws: ChannelError.doesNotSplice) { try peer.beginSplice(Self.request) }
  }

  @Test("The answer to a tx_abort ends nothing that was begun behind it")
  func lateAnswer() throws {
    var (_, wallet) = try splicingPair()
    wallet.link.splicing.awaitsAbort = true
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    _ = wallet.takeOutgoing()
    let answer = Message.transactionAbort(TransactionAbort(channel: channelID))
    #expect(try wallet.receive(answer) == [])
    #expect(wallet.link.splicing.talk?.stage != .over && wallet.takeOutgoing() == [])
    #expect(try wallet.receive(answer) == [.spliceGivenUp("")], "the next one is the peer's own")
  }
}
