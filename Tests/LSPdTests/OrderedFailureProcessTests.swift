import PhonePolicy

/// Failures on order, attempts and holds of a real lspd, over kills.
@Suite("lspd's failures on order, attempts and holds", .serialized, .waits)
struct OrderedFailureProcessTests {
  private func request(_ number: UInt64, _ more: KeyValuePairs<String, String> = [:]) -> ControlMessage {
    var message = ControlMessage(
      "pay", ["payment-hash": paymentHash(number).hex, "amount-msat": "1000", "wait": "no"])
    for (name, value) in more { message[name] = value }
    return message
  }

  /// The sentence of a refused request.
  private func refusal(_ provider: ProviderProcess, _ message: ControlMessage) throws -> String {
    let client = try provider.client()
    try client.send(message)
    return try client.receive().errorSentence ?? "none"
  }

  private func status(_ provider: ProviderProcess) throws -> PeerFacts {
    try #require(PeerFacts(json: try provider.client().request(ControlMessage("status")).body))
  }

  @Test func `An order needs a name of BOLT 4 and a number`() throws {
    let provider = try ProviderProcess()
    for (fields, word) in [
      (["code": "out_of_coffee"], "BOLT 4"), (["times": "1"], "code"),
      (["code": "fee_insufficient", "times": "-1"], "times"),
    ] {
      var message = ControlMessage("fail-next")
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) { message[name] = value }
      #expect(try refusal(provider, message).contains(word))
    }
    expect(try provider.ledger("SELECT count(*) FROM ordered_failures"), is: [0])
  }

  @Test func `The total of a payment's parts is at least 1 msat`() throws {
    let provider = try ProviderProcess()
    func total(_ msat: String) -> ControlMessage {
      request(1, ["amount-msat": "1", "payment-secret": paymentHash(2).hex, "total-msat": msat])
    }
    #expect(try refusal(provider, total("0")).hasPrefix("the field `total-msat`"))
    _ = try provider.client().request(total("1"))
    expect(try provider.ledger("SELECT count(*) FROM payments"), is: [1])
  }

  @Test func `The attempt that a sender counts is stored and listed, also after a kill of lspd`() throws {
    let provider = try ProviderProcess()
    _ = try provider.client().request(request(1, ["attempt": "3"]))
    _ = try provider.client().request(request(2))
    #expect(try refusal(provider, request(3, ["attempt": "0"])).contains("attempt"))
    expect(try provider.ledger("SELECT ifnull(attempt, 0) FROM payments ORDER BY id"), is: [3, 0])
    provider.kill()
    try provider.start()
    let body = try provider.client().request(ControlMessage("payments")).body
    expect(try #require([PeerPaymentRow](json: body)).map(\.attempt), is: [3, nil])
  }

  @Test(
    .shows("B-1.8.3"), arguments: [("--push-form bitkit", Int64(25)), ("", 60), ("--hold-seconds 12", 12)])
  func `A payment is held as long as lspd was told, with Bitkit's pushes 25 s`(
    _ options: String, seconds: Int64
  ) throws {
    let provider = try ProviderProcess(options.split(separator: " ").map(String.init))
    expect(try provider.client().request(request(1))["state"], is: "held")
    // The request is handled a moment after its time was read.
    expect(
      try provider.ledger("SELECT (hold_until_ns - requested_at_ns + 999999999) / 1000000000 FROM payments"),
      is: [.integer(seconds)])
  }

  @Test(.shows("B-1.8.3", "B-1.8.5"))
  func `A payment whose lspd is killed in its hold is held again, and fails at its end`()
    throws
  {
    let provider = try ProviderProcess()
    expect(try provider.client().request(request(1, ["hold-seconds": "3"]))["state"], is: "held")
    for _ in 0..<2 {
      provider.kill()
      try provider.start()
      expect(try status(provider).held, is: 1)
    }
    let end = try provider.client().request(ControlMessage("await", ["payment-hash": paymentHash(1).hex]))
    #expect(end["state"] == "failed" && end["code"] == "0x1007" && end["reason"] == "recipient-away")
    expect(try provider.ledger("SELECT settled_at_ns >= hold_until_ns FROM payments"), is: [1])
    expect(try provider.ledger("SELECT failure_code FROM payments"), is: [.integer(0x1007)])
  }
}
