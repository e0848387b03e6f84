import Ground
import Testing

@testable import Guardrails

@Suite("Reading a push") struct PushReaderTests {
  private func read(_ text: String) -> Push { PushReader.read(Array(text.utf8), id: 7, as: .phoenix) }

  @Test func `Pushes with the reasons of Phoenix's servers are read, with and without a payment hash`() {
    let hash = String(repeating: "ab", count: 32)
    let push = read(#"{"aps":{"alert":"x"},"reason":"IncomingPayment$","payment_hash":"\#(hash)"}"#)
    #expect(push == Push(id: 7, reason: .incomingPayment, paymentHash: Bytes32(hex: hash)))
    #expect(
      read(#"{ "reason" : "PendingSettlement" , "a" : [ 1 , { } , [ ] ] }"#).reason == .pendingSettlement)
    #expect(read(#"{"a\"{":{"b":[{"c":"}"},{}]},"reason":"IncomingOnionMessage"}"#).reason == .onionMessage)
  }

  @Test(
    arguments: [
      #"{{"aps":{"alert":{"ttr*e":"","bo":""}}}:"IncomingPayment","payment_hash":"102"}"#,
      #"{{"a":""}:"x","reason":"IncomingPayment"}"#, #"{["reason"]:"IncomingPayment"}"#,
      #"{"a":1,{"reason":"b"}:2,"reason":"IncomingPayment"}"#, #"{"a":{["b"]:1},"reason":"IncomingPayment"}"#,
      #"{1:2,"reason":"IncomingPayment"}"#, #"{"reason":"x","reason":"IncomingPayment"}"#, "[]", "",
    ]) func `A push with malformed JSON, a repeated name or no JSON object counts as unreadable`(text: String)
  {
    #expect(read(text).reason == .unreadable)
  }
}
