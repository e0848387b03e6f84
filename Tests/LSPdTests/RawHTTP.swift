/// A client of sockets alone, so that a test can send what no library of HTTP would.
final class RawHTTP {
  struct Answer {
    var status = 0
    var head = ""
    var body = ""
  }

  let descriptor: Int32

  /// To 127.0.0.1, or another address of the loopback device.
  init(port: UInt16, last: UInt32 = 1) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("create a socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | last).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw SystemError("reach lspd's port \(port)") }
    // Only a time limit for a test that hangs.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// False if lspd has closed.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// All that comes until lspd closes; status 0 without an answer.
  func answer() -> Answer {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &part, part.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return Answer() }
    let head = String(text[..<end.lowerBound])
    let words = head.split(separator: " ")
    return Answer(
      status: words.count > 1 ? Int(words[1]) ?? 0 : 0, head: head, body: String(text[end.upperBound...]))
  }
}

extension ProviderProcess {
  var port: UInt16? {
    SmallFile.read("\(home)/lsp/http", limit: 64).flatMap {
      String(decoding: $0, as: UTF8.self).wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\n/).flatMap {
        UInt16($0.1)
      }
    }
  }

  func http(_ text: String) throws -> RawHTTP.Answer {
    let client = try RawHTTP(port: port ?? 0)
    client.send(Array(text.utf8))
    return client.answer()
  }

  /// A request with the right Host and the token, as the own user's sender makes it.
  func get(_ target: String, method: String = "GET") throws -> RawHTTP.Answer {
    try http(
      "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port ?? 0)\r\nAuthorization: Bearer \(token)\r\n\r\n"
    )
  }

  var token: String {
    String(decoding: SmallFile.read("\(home)/lsp/http-token", limit: 64) ?? [], as: UTF8.self)
      .filter { !$0.isWhitespace }
  }

  func hint(_ recipient: String, _ amountMsat: UInt64) throws -> RawHTTP.Answer {
    try get("/lsp/forwarding_hint?recipient=\(recipient)&amount_msat=\(amountMsat)")
  }
}
