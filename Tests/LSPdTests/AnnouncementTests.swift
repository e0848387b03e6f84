import Guardrails
import LightningIO

/// lspd in Bitkit's form: what it pushes, sealed to the key that the wallet has named over the wire.
@Suite("lspd's pushes in Bitkit's form", .serialized) struct AnnouncementTests {
  private let key = PrivateKey(SHA256.hash(Array("push key".utf8)))!
  private static let amountMsat: UInt64 = 123_456_789

  /// A wallet that connects, names its push key, and leaves.
  private func nameKey(_ provider: ProviderProcess) throws {
    let wallet = try provider.connectedWallet(epoch: 1)
    wallet.send(.pushKey(CurvePoint(key.publicKey)))
    #expect(try provider.eventually { try provider.ledger("SELECT count(*) FROM push_keys") == [1] })
    wallet.hangUp()
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT count(*) FROM connections WHERE closed_at_ns IS NULL") == [0]
      })
  }

  private func opened(_ body: JSONValue) throws -> JSONValue {
    let payload = try #require(body["payload"])
    let sealed = try SealedPayload(
      cipher: try #require(payload["cipher"]?.text), iv: try #require(payload["iv"]?.text),
      publicKey: try #require(payload["publicKey"]?.text), tag: try #require(payload["tag"]?.text))
    expect(sealed.iv.count, is: 16)
    return try #require(JSONValue(parsing: try PushSeal.open(sealed, with: key)))
  }

  /// The hash and the amount in the forms in which they could be written.
  private func isInClear(_ body: [UInt8], _ number: UInt64) -> Bool {
    let text = String(decoding: body, as: UTF8.self)
    let hash = paymentHash(number)
    return [hash.hex, hash.hex.uppercased(), Base64.encode(hash.bytes), "\(Self.amountMsat)"].contains {
      text.contains($0)
    }
  }

  @Test(.shows("B-1.6.1", "B-1.6.2", "B-1.6.3", "B-1.6.4", "B-1.8.2"))
  func `A held payment has a silent push in clear, and an alert that only the wallet can read`()
    throws
  {
    let provider = try ProviderProcess(["--push-form", "bitkit"])
    let phone = try PushedPhone(provider)
    try nameKey(provider)
    let before = Clock().wallNanoseconds / 1_000_000_000
    _ = try provider.pay(1, msat: Self.amountMsat, hold: 60, waiting: false)
    #expect(try provider.eventually { phone.bodies.count == 2 })
    let after = Clock().wallNanoseconds / 1_000_000_000

    // As in the description, member for member.
    let silent =
      #"{"aps":{"content-available":1},"payment_hash":"\#(paymentHash(1).hex)","amount_msat":123456789,"type":"incoming_htlc_wake"}"#
    expect(String(decoding: phone.bodies[0], as: UTF8.self), is: silent)
    let alert = try phone.json(1)
    expect(
      alert["aps"],
      is: JSONValue(
        parsing: Array(
          #"{"alert":{"title":"Payment Incoming","body":"Open Bitkit to receive"},"mutable-content":1,"sound":"default","interruption-level":"time-sensitive"}"#
            .utf8)))
    #expect(isInClear(phone.bodies[0], 1) && !isInClear(phone.bodies[1], 1))

    let plain = try opened(alert)
    #expect(plain["source"]?.text == "blocktank" && plain["type"]?.text == "incomingHtlc")
    expect(plain["payload"]?["paymentHash"]?.text, is: paymentHash(1).hex)
    expect(plain["payload"]?["amountMsat"]?.uint, is: Self.amountMsat)
    expect(plain["payload"]?["held"]?.flag, is: true)
    let end = try #require(plain["payload"]?["holdExpiresAt"]?.int)
    #expect(end >= before + 59 && end <= after + 60)
    #expect(plain["createdAt"]?.text?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    // The wallet's own reader takes it.
    let push = PushReader.read(phone.bodies[1], id: 1, as: .bitkit) { members in
      (try? SealedPayload(
        cipher: members.cipher, iv: members.iv, publicKey: members.publicKey, tag: members.tag)).flatMap {
          try? PushSeal.open($0, with: key)
        }
    }
    expect(
      push.announcement,
      is: Announcement(
        kind: .incomingHtlc, paymentHash: paymentHash(1), amountMsat: Self.amountMsat, isHeld: true,
        holdEndsAt: end))

    let hash = paymentHash(1).hex.uppercased()
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT count(*) FROM pushes WHERE outcome = 'delivered'") == [2]
      })
    expect(
      try provider.ledger(
        "SELECT kind || ' ' || payment || ' ' || hex(payment_hash) FROM pushes ORDER BY id"),
      is: [.text("silent 1 \(hash)"), .text("alert 1 \(hash)")])
    expect(try provider.ledger("SELECT push_form FROM runs"), is: ["bitkit"])
  }

  @Test func `Each alert has a key and a vector of its own`() throws {
    let provider = try ProviderProcess(["--push-form", "bitkit"])
    let phone = try PushedPhone(provider)
    try nameKey(provider)
    for number: UInt64 in [1, 2, 3] { _ = try provider.pay(number, waiting: false) }
    #expect(try provider.eventually { phone.bodies.count == 6 })
    let alerts = try phone.bodies.indices.map { try phone.json($0) }.filter { $0["payload"] != nil }
    expect(Set(alerts.compactMap { $0["payload"]?["iv"]?.text }).count, is: 3)
    expect(Set(alerts.compactMap { $0["payload"]?["publicKey"]?.text }).count, is: 3)
  }

  @Test func `Without a key of the wallet the alert has no payload`() throws {
    let provider = try ProviderProcess(["--push-form", "bitkit"])
    let phone = try PushedPhone(provider)
    _ = try provider.pay(1, msat: Self.amountMsat, waiting: false)
    #expect(try provider.eventually { phone.bodies.count == 2 })
    let alert = try phone.json(1)
    #expect(alert["payload"] == nil && alert["aps"]?["alert"]?["title"]?.text == "Payment Incoming")
    #expect(!isInClear(phone.bodies[1], 1))
  }

  @Test(.shows("K-13")) func `Without a hold the alert goes too, and says that nothing is held`() throws {
    let provider = try ProviderProcess(["--push-form", "bitkit", "--hold-seconds", "0"])
    let phone = try PushedPhone(provider)
    try nameKey(provider)
    expect(try provider.pay(1, hold: 0).receive()["state"], is: "failed")
    #expect(try provider.eventually { phone.bodies.count == 2 })
    let plain = try opened(try phone.json(1))
    #expect(plain["payload"]?["held"]?.flag == false && plain["payload"]?["holdExpiresAt"] == nil)
  }

  @Test(.shows("K-16")) func `With --sealed-silent-push the silent push shows its type alone`() throws {
    let provider = try ProviderProcess(["--push-form", "bitkit", "--sealed-silent-push"])
    let phone = try PushedPhone(provider)
    try nameKey(provider)
    _ = try provider.pay(1, msat: Self.amountMsat, waiting: false)
    #expect(try provider.eventually { phone.bodies.count == 2 })
    let silent = try phone.json(0)
    #expect(silent["aps"]?["content-available"]?.int == 1 && silent["type"]?.text == "incoming_htlc_wake")
    #expect(silent["payment_hash"] == nil && !isInClear(phone.bodies[0], 1))
    expect(try opened(silent)["payload"]?["paymentHash"]?.text, is: paymentHash(1).hex)
  }

  @Test func `The alert of an lspd that is killed after the silent push goes out after its restart`() throws {
    let provider = try ProviderProcess(["--push-form", "bitkit"])
    let phone = try PushedPhone(provider)
    try nameKey(provider)
    // The first push is the last that this lspd sees answered.
    phone.onPush = { if $0 == 1 { provider.kill() } }
    _ = try provider.pay(1, waiting: false)
    #expect(try provider.eventually { phone.bodies.count >= 1 })
    expect(try provider.ledger("SELECT kind FROM pushes WHERE is_open AND kind = 'alert'"), is: ["alert"])
    let beforeRestart = phone.bodies.count
    phone.onPush = { _ in }
    try provider.start()
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT outcome FROM pushes WHERE kind = 'alert' ORDER BY id LIMIT 1") == [
          "delivered"
        ]
      })
    let alerts = try phone.bodies.indices.dropFirst(beforeRestart).map { try phone.json($0) }
    #expect(alerts.contains { $0["aps"]?["alert"] != nil })
    expect(
      try opened(try #require(alerts.first { $0["payload"] != nil }))["payload"]?["held"]?.flag, is: true)
  }

  /// The clock counts from the boot.
  @Test func `After a reboot of lspd's machine no open alert promises a hold that has ended with it`() throws
  {
    let provider = try ProviderProcess(["--push-form", "bitkit"])
    // Nobody takes the pushes.
    _ = try provider.pay(1, waiting: false)
    #expect(
      try provider.eventually { try provider.ledger("SELECT count(*) FROM pushes WHERE is_open") == [1] })
    provider.kill()
    try provider.change("UPDATE runs SET boot = 'an earlier one'")
    let phone = try PushedPhone(provider)
    try provider.start()
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT count(*) FROM pushes WHERE is_open OR outcome = 'iosd-away'") == [1]
      }, "the silent push alone was tried once")
    expect(try provider.ledger("SELECT outcome FROM pushes WHERE kind = 'alert'"), is: ["not-needed"])
    #expect(phone.bodies.isEmpty)
    #expect(try provider.eventually { try provider.ledger("SELECT state FROM payments") == ["failed"] })
  }

  @Test func `An option of the other form is refused`() throws {
    for arguments in [["--silent-pushes", "--push-form", "bitkit"], ["--sealed-silent-push"]] {
      expect(try ProviderProcess.exitCode(arguments), is: 64)
    }
  }
}
