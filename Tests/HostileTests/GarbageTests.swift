@Suite("Hostile input: garbage at the control sockets", .serialized, .waits) struct GarbageTests {
  @Test
  func
    `A request with an unknown verb or invalid content is answered with an error, and the connection stays open`()
    throws
  {
    let phone = try RealPhone()
    let hash = String(repeating: "0", count: 64)
    let cases: [(RealPhone.Door, ControlMessage, String)] = [
      (.phone, ControlMessage("fly"), "iosd does not know `fly`"),
      (.phone, ControlMessage("push"), "the push is not JSON"),
      (
        .phone, ControlMessage("push", body: Array(repeating: 91, count: 4096)),
        "the push is nested deeper than 64 brackets"
      ),
      (
        .phone, ControlMessage("push", body: Array(repeating: 32, count: 4097)),
        "the push is longer than the 4096 bytes"
      ),
      (
        .phone,
        ControlMessage("push", body: Array(#"{"aps":{"alert":"x"},"Simulator Target Bundle":2}"#.utf8)),
        "`Simulator Target Bundle` in the push is not text"
      ),
      (.phone, ControlMessage("clock", ["step-seconds": "9223372036854775807"]), "the field `step-seconds`"),
      (.phone, ControlMessage("clock", ["step-seconds": "NaN"]), "the field `step-seconds`"),
      (.phone, ControlMessage("ask-app"), "this needs the app in the foreground"),
      (.phone, ControlMessage("ask-app", ["in-front": "no"]), "the app is not running"),
      (.phone, ControlMessage("ask-app", ["in-front": "2"]), "the field `in-front` must be yes or no"),
      (
        .phone, ControlMessage("ask-app", body: Array(repeating: 32, count: 16_385)),
        "the request has 16385 bytes"
      ),
      (.phone, ControlMessage("ps", ["all": "perhaps"]), "the field `all` must be yes or no"),
      (.provider, ControlMessage("fly"), "lspd has no verb `fly`"),
      (.provider, ControlMessage("pay", ["payment-hash": "zz"]), "the field `payment-hash`"),
      (
        .provider, ControlMessage("pay", ["payment-hash": hash, "amount-msat": "0"]),
        "the field `amount-msat`"
      ),
      (
        .provider, ControlMessage("pay", ["payment-hash": hash, "amount-msat": "1", "payee": "02" + hash]),
        "the field `payee`"
      ),
      (.provider, ControlMessage("await", ["payment-hash": hash]), "no payment of the hash"),
    ]
    for (door, request, beginning) in cases {
      let client = try ControlClient(path: phone.place(door), daemon: "\(door)")
      do {
        _ = try client.request(request)
        Issue.record("\(request) was not refused")
      } catch { #expect(error.description.hasPrefix(beginning), "\(error)") }
      _ = try client.request(ControlMessage("status"))
    }
  }
}
