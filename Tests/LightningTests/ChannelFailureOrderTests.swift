@testable import Lightning
@testable import LightningProvider

/// A channel that the LSP gives up, as its user has ordered.
@Suite("The LSP's channel failed on order") struct ChannelFailureOrderTests {
  private static let text = "closed by the provider"
  private static let error = Message.error(ErrorOrWarning(channel: channelID, text: text))

  @Test
  func `A connected wallet gets the error after it is durable, and each later connection gets it again`()
    throws
  {
    var fixture = try PeerFixture.established()
    let directives = fixture.handle(.channelFailureOrdered)
    expect(changes(directives).first, is: .channelFailed(connection: 1, Self.text))
    guard case .store? = directives.first else { return #expect(Bool(false), "\(directives)") }
    expect(messages(directives), is: [Self.error])
    expect(directives.last, is: .close(connection: 1, "the channel has failed"))
    fixture.restart()
    expect(messages(fixture.sendInit(2, fence(2))).last, is: Self.error)
  }

  @Test(.shows("B-1.7.2.3c")) func `A wallet that is away gets no push and no payment, and senders hear why`()
    throws
  {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    expect(fixture.handle(.channelFailureOrdered), is: [.store([.channelFailed(connection: 0, Self.text)])])
    expect(fixture.pay(1), is: [.answer(payment: 1, .failed(.channelFailed))])
    expect(
      fixture.peer.hint(forAmountMsat: 1000, at: milliseconds(0)),
      is: ForwardingHint(.doNotRetry, .recipientChannelDisabled))
  }

  @Test func `A payment that is held when the channel fails is not offered, and fails at its time`() throws {
    var fixture = try PeerFixture()
    _ = fixture.pay(1, holdUntil: 20_000)
    _ = fixture.handle(.channelFailureOrdered)
    expect(messages(fixture.sendInit(1, fence(1))).last, is: Self.error)
    expect(fixture.peer.deadline, is: milliseconds(20_000))
    expect(others(fixture.wake(at: 20_000)), is: [.answer(payment: 1, .failed(.recipientAway))])
  }

  @Test func `Neither a channel with a pending HTLC nor one that has failed is failed on order`() throws {
    var fixture = try PeerFixture()
    let reestablished = try fixture.establish(1)
    _ = try fixture.exchange(1, from: reestablished)
    let offer = fixture.pay(1)
    expect(fixture.peer.refusalToFailChannel, is: .inUse)
    #expect(fixture.handle(.channelFailureOrdered) == [] && fixture.peer.state.failure == nil)
    _ = try fixture.exchange(1, from: offer)
    #expect(fixture.peer.refusalToFailChannel == nil)
    _ = fixture.handle(.channelFailureOrdered)
    expect(fixture.peer.refusalToFailChannel, is: .failedBefore)
    expect(fixture.handle(.channelFailureOrdered), is: [])
  }
}
