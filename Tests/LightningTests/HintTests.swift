import Lightning

@testable import LightningProvider

/// What the LSP answers a sender, in each state of the wallet.
@Suite("The LSP's forwarding hint") struct HintTests {
  private static let wallet = PrivateKey(SHA256.hash(Array("a wallet".utf8)))!.publicKey
  private static let stranger = PrivateKey(SHA256.hash(Array("a stranger".utf8)))!.publicKey

  /// The LSP has one million millisatoshi.
  private func fixture() throws -> PeerFixture {
    var fixture = try PeerFixture()
    _ = fixture.handle(.walletNamed(Self.wallet))
    return fixture
  }

  private func hint(
    _ fixture: PeerFixture, msat: UInt64 = 1000, to recipient: PublicKey = HintTests.wallet
  ) -> ForwardingHint {
    fixture.peer.hint(
      for: HintQuestion(recipient: recipient, amountMsat: msat), at: milliseconds(fixture.now))
  }

  @Test(.shows("B-1.7.2.2a", "B-1.7.2.4")) func `A connected wallet is worth another attempt in a second`()
    throws
  {
    var fixture = try fixture()
    _ = try fixture.establish(1)
    expect(hint(fixture), is: ForwardingHint(.retryNow, .unknown, recommendedDelayMs: 1000))
  }

  @Test func `A wallet whose channel is not re-established yet is about to be there`() throws {
    var fixture = try fixture()
    _ = fixture.sendInit(1, fence(1))
    expect(hint(fixture), is: ForwardingHint(.retryNow, .disconnected, recommendedDelayMs: 1000))
  }

  @Test(.shows("B-1.7.2.2b", "B-1.7.2.3a")) func `A pushed wallet is waited for, counted from its push`()
    throws
  {
    var fixture = try fixture()
    expect(hint(fixture), is: ForwardingHint(.retryLater, .disconnected, recommendedDelayMs: 5000))
    fixture.now = 10_000
    #expect(others(fixture.pay(1)).contains { if case .requestPush = $0 { true } else { false } })
    for (now, delayMs): (Int64, UInt64) in [
      (10_000, 5000), (11_500, 3500), (14_500, 1000), (39_999, 1000), (40_000, 5000),
    ] {
      fixture.now = now
      expect(
        hint(fixture), is: ForwardingHint(.retryLater, .disconnected, recommendedDelayMs: delayMs), "\(now)")
    }
  }

  @Test func `A wallet that has left again is waited for as before its push`() throws {
    var fixture = try fixture()
    _ = fixture.pay(1)
    _ = try fixture.establish(1)
    fixture.now = 1000
    _ = fixture.handle(.closed(connection: 1, "gone"))
    expect(hint(fixture), is: ForwardingHint(.retryLater, .disconnected, recommendedDelayMs: 5000))
  }

  @Test(.shows("B-1.7.2.2c", "B-1.7.2.3b"))
  func `An amount above the balance is not worth another attempt, connected or not`()
    throws
  {
    var fixture = try fixture()
    let never = ForwardingHint(.doNotRetry, .insufficientLiquidity)
    expect(hint(fixture, msat: 1_000_000).hint, is: .retryLater)
    expect(hint(fixture, msat: 1_000_001), is: never)
    _ = try fixture.establish(1)
    expect(hint(fixture, msat: 1_000_000).hint, is: .retryNow)
    expect(hint(fixture, msat: 1_000_001), is: never)
    expect(hint(fixture, msat: .max), is: never)
  }

  @Test func `A balance that pending payments use may be there later`() throws {
    var fixture = try fixture()
    let later = ForwardingHint(.retryLater, .insufficientLiquidity, recommendedDelayMs: 5000)
    _ = fixture.pay(1, msat: 300_000)
    expect(hint(fixture, msat: 700_000).reason, is: .disconnected)
    expect(hint(fixture, msat: 700_001), is: later)
    _ = try fixture.establish(1)
    expect(hint(fixture, msat: 700_000).hint, is: .retryNow)
    expect(hint(fixture, msat: 700_001), is: later)
    expect(hint(fixture, msat: 1_000_000), is: later)
    expect(hint(fixture, msat: 1_000_001).hint, is: .doNotRetry)
  }

  @Test(.shows("B-1.7.2.3c")) func `A failed channel is not worth another attempt`() throws {
    var fixture = try fixture()
    fixture.peer.state.failure = "you cheated"
    expect(hint(fixture), is: ForwardingHint(.doNotRetry, .recipientChannelDisabled))
  }

  @Test(.shows("B-1.7.2.3d")) func `To another node, and before the wallet is known, there is no route`()
    throws
  {
    var fixture = try fixture()
    _ = try fixture.establish(1)
    expect(hint(fixture, to: Self.stranger), is: ForwardingHint(.doNotRetry, .unknown))
    expect(hint(try PeerFixture()), is: ForwardingHint(.doNotRetry, .unknown))
  }

  @Test func `Held amounts near UInt64.max and a thousand payments are summed without overflow`() throws {
    var fixture = try fixture()
    for number: UInt64 in 1...1000 { _ = fixture.pay(number, msat: number < 9 ? .max / 4 : 1) }
    expect(hint(fixture), is: ForwardingHint(.retryLater, .insufficientLiquidity, recommendedDelayMs: 5000))
  }

  @Test func `With 1000 payments pending another one may be taken later`() throws {
    var fixture = try fixture()
    for number: UInt64 in 1...1000 { _ = fixture.pay(number, msat: 1) }
    expect(hint(fixture), is: ForwardingHint(.retryLater, .unknown, recommendedDelayMs: 5000))
  }

  // MARK: Reading the question

  private static let good = "/lsp/forwarding_hint?recipient=\(wallet.hex)&amount_msat=5000"

  private func read(_ target: String, method: String = "GET") throws(HintRefusal) -> HintQuestion {
    try HintQuestion(method: method, target: target)
  }

  @Test(.shows("B-1.7.2.1")) func `A question names the recipient and the amount once, in any order`() throws
  {
    let question = HintQuestion(recipient: Self.wallet, amountMsat: 5000)
    expect(try read(Self.good), is: question)
    expect(try read("/lsp/forwarding_hint?amount_msat=5000&recipient=\(Self.wallet.hex)"), is: question)
    expect(
      try read("/lsp/forwarding_hint?recipient=\(Self.wallet.hex)&amount_msat=\(Int64.max)").amountMsat,
      is: UInt64(Int64.max))
  }

  @Test(
    .shows("B-1.7.2.5"),
    arguments: [
      ("", HintRefusal.missing(.recipient)), ("?", .missing(.recipient)),
      ("?amount_msat=1", .missing(.recipient)), ("?recipient=R", .missing(.amountMsat)),
      ("?recipient=R&recipient=R&amount_msat=1", .repeated(.recipient)),
      ("?recipient=R&amount_msat=1&amount_msat=1", .repeated(.amountMsat)),
      ("?recipient=R&amount_msat=1&verbose=1", .unknownParameter),
      ("?recipient=R&amount_msat=1&%61mount_msat=1", .unknownParameter),
      ("?recipient=R;amount_msat=1", .missing(.amountMsat)),
      ("?recipient=&amount_msat=1", .badRecipient), ("?recipient&amount_msat=1", .badRecipient),
      ("?recipient=05R&amount_msat=1", .badRecipient), ("?recipient=X&amount_msat=1", .badRecipient),
      ("?recipient=%30R&amount_msat=1", .badRecipient),
      ("?recipient=R&amount_msat=", .badAmount), ("?recipient=R&amount_msat=0", .badAmount),
      ("?recipient=R&amount_msat=000", .badAmount), ("?recipient=R&amount_msat=-1", .badAmount),
      ("?recipient=R&amount_msat=%2B1", .badAmount), ("?recipient=R&amount_msat=+1", .badAmount),
      ("?recipient=R&amount_msat=1.0", .badAmount), ("?recipient=R&amount_msat=1e3", .badAmount),
      ("?recipient=R&amount_msat=0x10", .badAmount), ("?recipient=R&amount_msat=٣", .badAmount),
      ("?recipient=R&amount_msat=9223372036854775808", .badAmount),
      ("?recipient=R&amount_msat=18446744073709551616", .badAmount),
      ("?recipient=R&amount_msat=1=1", .badAmount),
    ])
  func `A malformed query is refused with 400 and one sentence`(_ query: String, _ why: HintRefusal)
    throws
  {
    // R is the wallet's id, X 66 digits that are no point of the curve.
    let written = query.replacing("recipient=05R", with: "recipient=05\(Self.wallet.hex.dropFirst(2))")
      .replacing("=R", with: "=\(Self.wallet.hex)").replacing(
        "=X", with: "=02" + String(repeating: "f", count: 64)
      ).replacing("%30R", with: "%30\(Self.wallet.hex.dropFirst(1))")
    #expect(throws: why) { try read("/lsp/forwarding_hint" + written) }
    expect(why.status, is: 400)
    #expect(!why.description.contains("\n") && !why.description.contains("."))
  }

  @Test func `What is no question has a status of its own`() {
    let long = Self.good + "&x=" + String(repeating: "a", count: 65_536)
    #expect(throws: HintRefusal.targetTooLong) { try read(long) }
    for path in [
      "/", "/lsp", "/lsp/forwarding_hint/", "/LSP/forwarding_hint", "//lsp/forwarding_hint", "*", "",
    ] {
      #expect(throws: HintRefusal.otherPath, "\(path)") { try read(path) }
    }
    for method in ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "get"] {
      #expect(throws: HintRefusal.otherMethod, "\(method)") { try read(Self.good, method: method) }
    }
    #expect(HintRefusal.targetTooLong.status == 414 && HintRefusal.otherPath.status == 404)
    expect(HintRefusal.otherMethod.status, is: 405)
  }
}
