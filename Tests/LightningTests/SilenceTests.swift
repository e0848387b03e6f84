@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("A silent peer") struct SilenceTests {
  private let ping = Message.ping(Ping(pongSize: 0))
  private let rules = ConnectionRules.standard

  private func at(_ seconds: Int64) -> Instant { milliseconds(seconds * 1000) }

  // MARK: The wallet's node

  @Test func `The node pings a silent peer after 30 s and redials after 30 s more`() throws {
    var node = try establishedNode()
    expect(node.deadline, is: at(30))
    expect(node.handle(.deadlineReached, at: milliseconds(29_999)), is: [])
    expect(node.handle(.deadlineReached, at: at(30)), is: [.send([.message(ping)])])
    expect(node.deadline, is: at(60))
    expect(node.handle(.deadlineReached, at: milliseconds(59_999)), is: [])
    let end = node.handle(.deadlineReached, at: at(60))
    #expect(end.first == .cutOff && end.last == .report(.connecting) && end.count == 3)
    expect(node.handle(.deadlineReached, at: at(61)), is: [.checkRow])
  }

  @Test(
    arguments: [
      .pong([]), .unknown(type: 40_001, bytes: []), .warning(ErrorOrWarning(text: "slowly")),
    ] as [Message])
  func `Any message of the peer answers the ping and restarts the 30 s of silence`(_ answer: Message) throws {
    var node = try establishedNode()
    _ = node.handle(.deadlineReached, at: at(30))
    _ = node.handle(.received(answer), at: at(45))
    expect(node.deadline, is: at(75))
    expect(node.handle(.deadlineReached, at: at(74)), is: [])
    expect(node.handle(.deadlineReached, at: at(75)), is: [.send([.message(ping)])])
    _ = node.handle(.backupReceived(.unreadable), at: at(80))
    expect(node.deadline, is: at(110))
  }

  @Test
  func
    `A mute node (it sends no channel messages) pings; a stopped node, or one with pings off, does not`()
    throws
  {
    var mute = try establishedNode()
    mute.state = .mute
    expect(mute.handle(.deadlineReached, at: at(30)), is: [.send([.message(ping)])])
    let patient = try establishedNode(.init(rules: ConnectionRules(silence: nil)))
    #expect(patient.deadline == nil)
    var stopped = try establishedNode()
    _ = stopped.handle(.stopRequested(gracefully: false), at: at(1))
    #expect(stopped.deadline == nil)
  }

  @Test func `A ping is sent during a write, and the write is not lost`() throws {
    var node = try establishedNode()
    let invoice = Invoice(
      paymentHash: SHA256.hash([1]), amountMsat: 1, text: "", tweak: SHA256.hash([2]), expiresAt: 0)
    _ = node.handle(.invoiceMade(invoice), at: at(1))
    expect(node.handle(.deadlineReached, at: at(30)), is: [.send([.message(ping)])])
    #expect(node.handle(.written, at: at(31)).contains(.invoiceStored(paymentHash: invoice.paymentHash)))
  }

  @Test func `After its own process was suspended the node pings once more before it redials`() throws {
    var node = try establishedNode()
    expect(node.handle(.deadlineReached, at: at(30)), is: [.send([.message(ping)])])
    // Its process was suspended from here on; messages received meanwhile are unread.
    expect(node.handle(.deadlineReached, at: at(95)), is: [.send([.message(ping)])])
    expect(node.deadline, is: at(125))
    expect(node.handle(.deadlineReached, at: at(200)).first, is: .cutOff)
    var answered = try establishedNode()
    for seconds in [30, 95] as [Int64] { _ = answered.handle(.deadlineReached, at: at(seconds)) }
    _ = answered.handle(.received(.pong([])), at: at(96))
    expect(answered.deadline, is: at(126))
    // An event loop that is 2 s late was not suspended.
    var late = try establishedNode()
    _ = late.handle(.deadlineReached, at: at(30))
    expect(late.handle(.deadlineReached, at: at(62)).first, is: .cutOff)
  }

  // MARK: The LSP

  @Test func `After its own process was suspended the LSP pings once more before it evicts`() throws {
    var fixture = try PeerFixture.established(rules: rules)
    for (seconds, isOver) in [(30, false), (95, false), (200, true)] as [(Int64, Bool)] {
      let directives = fixture.wake(at: seconds * 1000)
      expect(messages(directives), is: (isOver ? [] : [ping]))
      expect(others(directives), is: (isOver ? [.evict(connection: 1, Silence.reason)] : []))
    }
  }

  @Test func `The LSP pings a silent wallet, then evicts it without failing the channel`() throws {
    var fixture = try PeerFixture.established(rules: rules)
    _ = fixture.pay(1)
    let before = fixture.peer.state
    expect(fixture.peer.deadline, is: at(30))
    expect(fixture.wake(at: 30_000), is: [.send(connection: 1, ping)])
    expect(fixture.wake(at: 59_999), is: [])
    let end = fixture.wake(at: 60_000)
    expect(messages(end), is: [])
    expect(others(end), is: [.evict(connection: 1, Silence.reason)])
    #expect(!fixture.peer.isWalletConnected)
    expect(fixture.peer.state.payments, is: before.payments)
    // Later messages of that connection are ignored.
    let late = fixture.hear(ping)
    expect(messages(late), is: [])
    expect(changes(late), is: [.frameIgnored(connection: 1, "its connection has failed")])
    _ = fixture.handle(.closed(connection: 1, "evicted"))
    // A push is requested for the wallet's unresolved payment.
    #expect(
      others(fixture.wake(at: 62_000)).contains { if case .requestPush = $0 { true } else { false } })
  }

  @Test func `A pong keeps the wallet's connection, and a silent unknown node is evicted`() throws {
    var fixture = try PeerFixture(rules: rules)
    fixture.peer.state.wallet = PrivateKey(SHA256.hash([1]))?.publicKey
    _ = fixture.visit(7, PrivateKey(SHA256.hash([2]))?.publicKey, nil)
    _ = try fixture.establish(1)
    expect(
      fixture.wake(at: 30_000), is: [.send(connection: 7, ping), .send(connection: 1, ping)])
    fixture.now = 31_000
    _ = fixture.hear(.pong([]))
    expect(others(fixture.wake(at: 60_000)), is: [.evict(connection: 7, Silence.reason)])
    #expect(fixture.peer.isWalletConnected)
    expect(fixture.peer.deadline, is: at(61))
  }

  // MARK: The limit of ignorable messages

  @Test func `The limit of ignorable messages is configurable at both ends`() throws {
    var node = try establishedNode(.init(rules: ConnectionRules(chatter: 3)))
    for _ in 0..<3 { #expect(node.handle(.received(ping), at: at(0)).first != .cutOff) }
    expect(node.handle(.received(ping), at: at(0)).first, is: .cutOff)
    var fixture = try PeerFixture.established(rules: ConnectionRules(chatter: 1000))
    for _ in 0..<1000 { expect(others(fixture.hear(ping)), is: []) }
    expect(others(fixture.hear(ping)).count, is: 1)
  }
}
