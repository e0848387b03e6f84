@testable import WalletProcess

@Suite("Request messages of the phone") struct RequestMessagesTests {
  private let hash = Bytes32([UInt8](repeating: 0xab, count: 32)) ?? .zero

  private func request(_ verb: String, _ fields: KeyValuePairs<String, String>) throws -> Request {
    let wallet = try #require(PrivateKey(hash)).publicKey
    return try Request(ControlMessage(verb, fields), from: wallet, atWallSeconds: 0)
  }

  @Test func `A cancel request needs a payment hash, and a request with an unknown verb is refused`() throws {
    expect(try request("cancel", ["payment-hash": hash.hex]), is: .cancellation(of: hash))
    for text in ["", "ab", hash.hex + "ab", String(repeating: "zz", count: 32)] {
      #expect(throws: ControlMessageError.self) { try request("cancel", ["payment-hash": text]) }
    }
    expect(
      RequestAnswer.cancelled(paymentHash: hash).message(signed: nil),
      is: ControlMessage("cancelled", ["payment-hash": hash.hex]))
    expect(RequestAnswer.refused(.cancellation, "paid").message(signed: nil), is: .error("paid"))
    #expect(throws: UnknownRequest.self) { try request("self-destruct", [:]) }
  }
}
