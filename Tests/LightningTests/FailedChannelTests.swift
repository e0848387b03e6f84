@testable import Lightning
@testable import Wallet

@Suite("An error from the peer") struct FailedChannelTests {
  private let now = milliseconds(5)
  private let failure = ChannelFailure(channel: channelID, reason: "you cheated")

  private func error(_ channel: Bytes32) -> NodeEvent {
    .received(.error(ErrorOrWarning(channel: channel, text: "you cheated")))
  }

  @Test(arguments: [channelID, .zero])
  func
    `The peer's error about the wallet's channel, or about all, fails the channel durably and ends dialling`(
      _ channel: Bytes32
    )
    throws
  {
    var node = try establishedNode()
    let said = node.handle(error(channel), at: now)
    expect(
      said,
      is: [
        .cutOff, .report(.trouble(failure.sentence)), .report(.connecting),
        .write(NodeChange(failure: failure)),
      ])
    #expect(failure.sentence.hasPrefix("channel failed: the peer said “you cheated”; "))
    expect(node.handle(.written, at: now), is: [])
    #expect(node.deadline == nil)
    expect(node.handle(.deadlineReached, at: now + .seconds(1000)), is: [])
    expect(node.handle(.userCame, at: now), is: [])
    expect(node.handle(.networkChanged(isThere: false), at: now), is: [])
    expect(node.handle(.networkChanged(isThere: true), at: now), is: [])
    expect(node.durableState.failure, is: failure)
  }

  @Test func `An error about all channels before channel_reestablish does not fail the channel`() throws {
    var node = try NodeMachine.greeted(establishedNode().durableState, at: now)
    let said = node.handle(error(.zero), at: now)
    expect(
      said, is: [.cutOff, .report(.trouble("the peer reports an error: you cheated")), .report(.connecting)])
    #expect(node.durableState.failure == nil)
    #expect(node.deadline != nil)
  }

  @Test func `An error about another channel is reported, and the connection stays open`() throws {
    var node = try establishedNode()
    expect(
      node.handle(error(SHA256.hash([9])), at: now),
      is: [
        .report(.trouble("the peer reports an error about another channel: you cheated"))
      ])
    expect(node.state, is: .established)
  }

  @Test
  func `The next owner of a failed channel does not dial (or disconnects), and refuses invoices and splices`()
    throws
  {
    let before = try establishedNode().durableState
    var state = before
    state.failure = failure
    var node = NodeMachine(configuration: .init())
    expect(
      node.handle(.started(fence(2), state), at: now),
      is: [
        .report(.connecting), .cutOff, .report(.trouble(failure.sentence)),
      ])
    #expect(node.deadline == nil)
    let invoice = Invoice(
      paymentHash: SHA256.hash([1]), amountMsat: 1, text: "", tweak: SHA256.hash([2]), expiresAt: 0)
    expect(
      node.handle(.invoiceMade(invoice), at: now),
      is: [
        .invoiceRefused(paymentHash: invoice.paymentHash, .because(failure.sentence))
      ])
    let request = SpliceRequest(
      amountSat: 1000, script: OutputScript(Bytes([0, 20] + [UInt8](repeating: 7, count: 20))))
    expect(node.handle(.spliceRequested(request), at: now), is: [.spliceRefused(.because(failure.sentence))])
    expect(node.handle(.stopRequested(gracefully: true), at: now), is: [.cutOff, .report(.stopped)])
    // Stored by an earlier owner between this node's claim and the peer's `init`.
    var late = NodeMachine.greeted(before, epoch: 2, at: now)
    var peer = try Channel(id: channelID, localMsat: 9_000_000_000, remoteMsat: 1_000_000_000, isOpener: true)
    _ = late.handle(.received(peer.reestablish()), at: now)
    expect(
      late.handle(.checkedAfterInit(row(2), state), at: now),
      is: [
        .cutOff, .report(.trouble(failure.sentence)),
      ])
  }

  @Test
  func `An error received during a write is stored after that write; a blocked attempt is repeated`() throws {
    var node = try establishedNode()
    let invoice = Invoice(
      paymentHash: SHA256.hash([1]), amountMsat: 1, text: "", tweak: SHA256.hash([2]), expiresAt: 0)
    expect(node.handle(.invoiceMade(invoice), at: now), is: [.write(NodeChange(newInvoice: invoice))])
    expect(
      node.handle(error(channelID), at: now),
      is: [
        .cutOff, .report(.trouble(failure.sentence)), .report(.connecting),
      ])
    expect(
      node.handle(.written, at: now),
      is: [
        .invoiceStored(paymentHash: invoice.paymentHash), .write(NodeChange(failure: failure)),
      ])
    expect(node.handle(.storeBlocked, at: now), is: [])
    let retry = try #require(node.deadline)
    expect(node.handle(.deadlineReached, at: retry), is: [.write(NodeChange(failure: failure))])
    expect(
      node.handle(.storeFailed("the disk is full"), at: retry),
      is: [
        .report(.trouble("the disk is full")), .report(.trouble(failure.sentence)),
      ])
    #expect(node.deadline == nil)
  }
}

@Suite("A failed channel") struct FailureKeptTests {
  private let now = milliseconds(5)
  private let failure = ChannelFailure(channel: channelID, reason: "you cheated")

  private func waitingForAStep() throws -> NodeMachine {
    var node = try establishedNode()
    let add = AddHTLC(
      channel: channelID, id: 0, amountMsat: 1000, paymentHash: SHA256.hash([1]), cltvExpiry: 40)
    _ = node.handle(.received(.addHTLC(add)), at: now)
    let commitment = CommitmentSigned(channel: channelID, htlcSignatures: [.zeros])
    let said = node.handle(.received(.commitmentSigned(commitment)), at: now)
    #expect(said.contains { if case .write = $0 { true } else { false } })
    _ = node.handle(.received(.error(ErrorOrWarning(channel: channelID, text: "you cheated"))), at: now)
    return node
  }

  @Test func `The channel's failure is stored also when the write before it was blocked or failed`() throws {
    let write = NodeDirective.write(NodeChange(failure: failure))
    var blocked = try waitingForAStep()
    expect(blocked.handle(.storeBlocked, at: now), is: [write])
    expect(blocked.handle(.written, at: now), is: [])
    expect(blocked.durableState.failure, is: failure)
    var refused = try waitingForAStep()
    expect(
      refused.handle(.storeFailed("no"), at: now),
      is: [
        .report(.trouble("no")), .report(.trouble(failure.sentence)), write,
      ])
  }

  @Test func `A node that was asked to stop does not begin to store the channel's failure`() throws {
    var node = try waitingForAStep()
    expect(node.handle(.stopRequested(gracefully: false), at: now), is: [.cutOff, .report(.stopped)])
    let said = node.handle(.written, at: now)
    #expect(!said.contains { if case .write = $0 { true } else { false } })
  }

  @Test(
    arguments: [
      (false, true, channelID), (false, true, .zero), (true, true, channelID), (true, false, channelID),
    ] as [(Bool, Bool, Bytes32)])
  func `A container stores the peer's error as the failure, and adopts a backup only if it is newer`(
    hasChannel: Bool, isNewer: Bool, named: Bytes32
  ) throws {
    let before = try establishedNode().durableState
    var record = try #require(before.channel).record
    if isNewer { record.revision += 1 }
    let backup = NodeBackup(channel: try Channel(restoring: record), invoices: [])
    var node = NodeMachine.greeted(hasChannel ? before : NodeState(), at: now)
    _ = node.handle(.backupReceived(.backup(backup)), at: now)
    let said = node.handle(.received(.error(ErrorOrWarning(channel: named, text: "you cheated"))), at: now)
    var adopted = backup.channel
    adopted.beginHistory(1)
    let change =
      isNewer ? NodeChange(channel: adopted, restored: [], failure: failure) : NodeChange(failure: failure)
    expect(said, is: [.cutOff, .report(.trouble(failure.sentence)), .write(change)])
    expect(node.handle(.written, at: now), is: [])
    #expect(node.durableState.failure == failure && node.deadline == nil)
    if isNewer { expect(node.durableState.channel, is: adopted) }
  }

  @Test func `The message about a failed channel says that baton restore does not help`() {
    #expect(failure.sentence.contains("`baton restore` does not bring it back"))
    #expect(!failure.sentence.contains("--home"))
  }

  @Test
  func `After a restart the LSP repeats a failed channel's error, disconnects, and offers no HTLC`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    _ = fixture.hear(.peerStorage([5]))
    var wrong = ChannelReestablish(
      channel: channelID, nextCommitmentNumber: 1, nextRevocationNumber: 0, yourLastPerCommitmentSecret: .zero
    )
    wrong.yourLastPerCommitmentSecret = SHA256.hash([8])
    let refusal = fixture.hear(.channelReestablish(wrong))
    guard case .error(let complaint)? = messages(refusal).first else {
      Issue.record("no error: \(refusal)")
      return
    }
    #expect(changes(refusal).contains(.channelFailed(connection: 1, complaint.text)))
    fixture.restart()
    let said = fixture.sendInit(2, fence(2))
    expect(messages(said).suffix(2), is: [.peerStorageRetrieval([5]), .error(complaint)])
    expect(others(said), is: [.close(connection: 2, "the channel has failed")])
    #expect(!fixture.peer.isWalletConnected)
    let paid = fixture.pay(1)
    #expect(!messages(paid).contains { if case .addHTLC = $0 { true } else { false } })
  }
}

@Suite("The report that the channel is established") struct ConnectedTests {
  /// A node that has sent its `channel_reestablish`.
  private func spoken() throws -> NodeMachine {
    var node = NodeMachine.greeted(at: milliseconds(0))
    let terms = ChannelTerms.standard
    var peer = try Channel(
      id: channelID, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    _ = node.handle(.received(peer.reestablish()), at: milliseconds(0))
    _ = node.handle(.checkedAfterInit(row(1), NodeState()), at: milliseconds(0))
    let said = node.handle(.written, at: milliseconds(0))
    #expect(!said.contains(.report(.established)))
    // A ping follows it, so that the peer answers in any case.
    guard case .send(let sent)? = said.first else {
      #expect(Bool(false))
      return node
    }
    expect(sent.last, is: .message(.ping(Ping(pongSize: 0))))
    return node
  }

  @Test func `The node reports established once, on a pong or the next channel message`() throws {
    var node = try spoken()
    expect(node.handle(.received(.pong([])), at: milliseconds(1)), is: [.report(.established)])
    expect(node.handle(.received(.pong([])), at: milliseconds(1)), is: [])
    var other = try spoken()
    let add = AddHTLC(
      channel: channelID, id: 0, amountMsat: 1000, paymentHash: SHA256.hash([1]), cltvExpiry: 40)
    expect(other.handle(.received(.addHTLC(add)), at: milliseconds(1)).first, is: .report(.established))
  }

  @Test
  func `The node does not report established on a warning, a ping, an unknown message or an error`() throws {
    var node = try spoken()
    for message in [
      .warning(ErrorOrWarning(text: "hm")), .ping(Ping(pongSize: 1)), .unknown(type: 258, bytes: []),
    ]
      as [Message]
    {
      #expect(!node.handle(.received(message), at: milliseconds(1)).contains(.report(.established)))
    }
    let error = Message.error(ErrorOrWarning(channel: channelID, text: "no"))
    #expect(!node.handle(.received(error), at: milliseconds(1)).contains(.report(.established)))
  }

  @Test
  func `A returning user, a payment request or a push at the other process ends a long redial pause`() throws
  {
    let payment = OutgoingPayment(
      paymentHash: SHA256.hash([4]), amountMsat: 1000, paymentSecret: SHA256.hash([5]))
    for event in [.userCame, .peerMayBeThere, .payRequested(payment, past: nil)] as [NodeEvent] {
      var node = NodeMachine(configuration: .init())
      var now = milliseconds(0)
      _ = node.handle(.started(fence(1), NodeState()), at: now)
      for _ in 0..<12 {
        _ = node.handle(.rowRead(row(1)), at: now)
        _ = node.handle(.closed("refused"), at: now)
        now = try #require(node.deadline)
        _ = node.handle(.deadlineReached, at: now)
      }
      _ = node.handle(.rowRead(row(1)), at: now)
      _ = node.handle(.closed("refused"), at: now)
      #expect(try #require(node.deadline) - now >= .seconds(300))
      expect(node.handle(event, at: now), is: [.checkRow])
      let attempt = event == .peerMayBeThere ? 13 : 0
      expect(node.handle(.rowRead(row(1)), at: now), is: [.dial(attempt: attempt)])
    }
  }
}
