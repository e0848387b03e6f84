@testable import LSPd

/// A sender's attempt is found by its id, also after lspd was killed.
@Suite("lspd's attempts by their ids", .serialized, .waits) struct AttemptIDTests {
  private func pay(_ number: UInt64, as id: Bytes32, hold: Int = 60) -> ControlMessage {
    ControlMessage(
      "pay",
      [
        "payment-hash": paymentHash(number).hex, "amount-msat": "1000", "hold-seconds": "\(hold)",
        "wait": "no", "attempt": "1", "attempt-id": id.hex,
      ])
  }

  private func state(_ id: Bytes32, at provider: ProviderProcess) throws -> ControlMessage {
    try provider.client().request(ControlMessage("await", ["attempt-id": id.hex, "wait": "no"]))
  }

  @Test func `lspd says what became of an attempt: never arrived, in flight, settled, or failed with a code`()
    throws
  {
    let provider = try ProviderProcess()
    let ids = (1...3).map { SHA256.hash([$0]) }
    expect(try state(ids[0], at: provider)["state"], is: "never-arrived")
    expect(try provider.client().request(pay(1, as: ids[0]))["state"], is: "held")
    provider.kill()
    try provider.start()
    expect(try state(ids[0], at: provider)["state"], is: "held")
    expect(try provider.client().request(pay(2, as: ids[1], hold: 0))["state"], is: "failed")
    provider.kill()
    try provider.start()
    let failed = try state(ids[1], at: provider)
    #expect(failed["state"] == "failed" && failed["code"] == "0x1007" && failed["reason"] == "recipient-away")
    expect(try state(ids[2], at: provider)["state"], is: "never-arrived")

    let wallet = ScriptedWallet(loop: provider.loop)
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try provider.loop.run(for: .seconds(60)) { wallet.channel?.localMsat == 1_000_001_000 })
    #expect(try provider.eventually { try state(ids[0], at: provider)["state"] == "settled" })
    expect(try state(ids[0], at: provider)["preimage"], is: preimage(1).hex)
  }

  @Test func `The same attempt twice is one payment, and the second request gets the state of the first`()
    throws
  {
    let provider = try ProviderProcess()
    let id = SHA256.hash([1])
    let first = try provider.client().request(pay(1, as: id))
    let second = try provider.client().request(pay(1, as: id))
    #expect(first["payment"] == second["payment"] && second["state"] == "held")
    expect(try provider.ledger("SELECT count(*) FROM payments"), is: [1])
    #expect(throws: ControlClientError.self) { try provider.client().request(pay(2, as: id)) }
    expect(try provider.ledger("SELECT count(*) FROM payments"), is: [1])
    expect(try state(id, at: provider)["state"], is: "held")
  }

  @Test func `An error about a request has the id of its attempt, and an invalid id is refused`() throws {
    let provider = try ProviderProcess()
    let id = SHA256.hash([1])
    var request = pay(1, as: id)
    request["amount-msat"] = "0"
    let client = try provider.client()
    try client.send(request)
    let refusal = try client.receive()
    #expect(refusal.errorSentence?.contains("amount-msat") == true && refusal["attempt-id"] == id.hex)
    for verb in ["pay", "await"] {
      var request = pay(1, as: id)
      request.verb = verb
      request["attempt-id"] = "12"
      #expect(throws: ControlClientError.self) { try provider.client().request(request) }
    }
  }
}
