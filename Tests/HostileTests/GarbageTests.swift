@Suite("Hostile input: garbage at the control sockets", .serialized, .waits)
struct GarbageTests {
  private static let tooLarge = String(repeating: "x", count: 131_073)

  @Test
  func `A malformed request is answered with one error sentence, and the daemon keeps serving`() throws {
    let phone = try RealPhone()
    let noEnd = "the message has no empty line after its fields; end the fields with one"
    let cases: [(sent: String, said: String)] = [
      ("\u{1}\u{2}\u{3}", noEnd), ("status\n", noEnd),
      (String(repeating: "\n", count: 1000), ControlMessageError.badVerb.description),
      (Self.tooLarge, ControlMessageError.tooLarge(bytes: 131_073).description),
      ("status\na: 1\na: 1\n\n", "the field `a` is given twice; send it once"),
      (
        "status\n" + (0..<65).map { "\(String(repeating: "a", count: $0 + 1)): 1\n" }.joined() + "\n",
        "the message has more than 64 fields; put long data into the body"
      ),
      ("status\na: \\x\n\n", ControlMessageError.badEscape(name: "a").description),
    ]
    for door in [RealPhone.Door.phone, .provider] {
      let pid = try phone.pid(behind: door)
      let descriptors = try RealPhone.descriptors(of: pid)
      for (sent, said) in cases {
        #expect(try answer(to: Array(sent.utf8), at: phone.place(door)) == said)
      }
      #expect(
        try answer(to: [0x73, 0xff, 10, 10], at: phone.place(door)) == ControlMessageError.notUTF8.description
      )
      // An empty packet counts as an end.
      #expect(try answer(to: [], at: phone.place(door)) == nil)
      _ = try phone.ask(door, ControlMessage("status"))
      try Wait.until("the descriptors to be closed") { try RealPhone.descriptors(of: pid) <= descriptors }
    }
  }

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

  /// The error sentence that answers one packet; nil for an end without a message.
  private func answer(to packet: [UInt8], at path: String) throws -> String? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    var space: Int32 = 1 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &space, socklen_t(MemoryLayout<Int32>.size))
    try #require(send(descriptor, packet, packet.count, 0) == packet.count)
    var buffer = [UInt8](repeating: 0, count: ControlMessage.maximumSize)
    var count = recv(descriptor, &buffer, buffer.count, 0)
    // Unread data of ours causes a reset first; the daemon's last message comes after it.
    if count < 0 && errno == ECONNRESET { count = recv(descriptor, &buffer, buffer.count, 0) }
    if count <= 0 { return nil }
    return try ControlMessage(decoding: Array(buffer[..<count])).errorSentence
  }
}
