import DaemonRuntime
import Glibc
import Ground
import PhoneClient
import Testing
import WaitingTests

@testable import HTTPServer
@testable import Serve

/// The server of a phone that does not run, over real sockets.
@Suite(.waits) struct ServeProcessTests {
  private struct Answer {
    var status: Int
    var head: String
    var body: String
  }

  /// Sends the bytes to a new server, and gives what comes until it closes, or until `enough`.
  private func ask(
    isControlled: Bool = false, _ request: (Serve.Document) -> String,
    until enough: (String) -> Bool = { _ in false }
  ) throws -> Answer {
    let home = try Self.makeHome()
    defer { rmdir(home) }
    let loop = try EventLoop()
    let serve = try Serve(Phone(home: home), port: 0, isControlled: isControlled, loop: loop) { _ in }
    defer { serve.stop() }
    let client = try Self.connect(to: UInt16(serve.document.port))
    defer { close(client) }
    let bytes = Array(request(serve.document).utf8)
    #expect(send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    var text = ""
    var isClosed = false
    try loop.watch(client, .readable) { _ in
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = recv(client, &piece, piece.count, Int32(MSG_DONTWAIT))
      if count > 0 { text += String(decoding: piece[..<count], as: UTF8.self) }
      isClosed = count == 0
      if isClosed { loop.unwatch(client) }
    }
    #expect(try loop.run(for: .seconds(60), until: { isClosed || enough(text) }), "no end: \(text)")
    loop.unwatch(client)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let status = parts.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Answer(status: status, head: String(parts[0]), body: parts.count > 1 ? String(parts[1]) : "")
  }

  private static func makeHome() throws -> String {
    var template = Array("/tmp/baton-serve-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("make a directory") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func connect(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = LoopbackSocket.address(of: HostAndPort(loopback: port))
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let done = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
    }
    if done != 0 { throw SystemError("reach the server") }
    return descriptor
  }

  private func head(_ line: String, _ document: Serve.Document, _ more: String = "") -> String {
    "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(document.port)\r\nAuthorization: Bearer \(document.token)\r\n\(more)\r\n"
  }

  @Test func `The page sets a cookie that no script reads, and allows nothing from elsewhere`() throws {
    var token = ""
    let answer = try ask { document in
      token = document.token
      return "GET /?token=\(document.token) HTTP/1.1\r\nHost: localhost:\(document.port)\r\n\r\n"
    }
    #expect(answer.status == 200 && answer.head.contains("Content-Type: text/html; charset=utf-8"))
    #expect(answer.head.contains("=\(token); Path=/; HttpOnly; SameSite=Strict"))
    #expect(answer.body.contains("default-src 'none'") && answer.body.contains("connect-src 'self'"))
    #expect(!answer.body.contains("http://") && !answer.body.contains("https://"))
  }

  @Test func `Each run has another token`() throws {
    var tokens: Set<String> = []
    for _ in 0..<2 {
      _ = try ask { document in
        tokens.insert(document.token)
        return "GET / HTTP/1.1\r\n\r\n"
      }
    }
    #expect(tokens.count == 2 && tokens.allSatisfy { $0.count == 32 })
  }

  @Test func `The status waits for the first look`() throws {
    let answer = try ask { head("GET /status.json", $0) }
    #expect(answer.status == 200 && answer.head.contains("Content-Type: application/json"))
    #expect(answer.body.contains(#""sentence":"no process: the wallet has never run""#))
  }

  @Test func `Events are views, one after the other on one connection`() throws {
    let answer = try ask {
      head("GET /events", $0)
    } until: {
      $0.components(of: "event: view\ndata: {") > 2
    }
    #expect(answer.status == 200 && answer.head.contains("Content-Type: text/event-stream"))
  }

  @Test func `Metrics are in Prometheus' format`() throws {
    let answer = try ask { head("GET /metrics", $0) }
    #expect(answer.status == 200 && answer.head.contains("Content-Type: text/plain; version=0.0.4"))
    #expect(answer.body.contains("# TYPE baton_up gauge\nbaton_up{daemon=\"iosd\"} 0\n"))
  }

  @Test func `An action of which the phone knows nothing is answered with its sentence and 409`() throws {
    let answer = try ask(isControlled: true) {
      head("POST /act", $0, "Content-Type: application/json\r\nContent-Length: 13\r\n") + #"{"do":"open"}"#
    }
    #expect(answer.status == 409 && answer.body.hasPrefix(#"{"error":""#), "\(answer)")
  }

  @Test(arguments: ["Content-Length: 257", "Content-Length: 99999999999999999999", "Content-Length: -1"])
  func `A body that is too long is not waited for`(length: String) throws {
    let answer = try ask(isControlled: true) {
      head("POST /act", $0, "Content-Type: application/json\r\n\(length)\r\n")
    }
    #expect((400..<500).contains(answer.status), "\(answer)")
  }

  @Test func `Without a token, from a foreign Host and by another method the answer is one sentence of JSON`()
    throws
  {
    let requests: [(Int, (Serve.Document) -> String)] = [
      (401, { "GET / HTTP/1.1\r\nHost: 127.0.0.1:\($0.port)\r\n\r\n" }),
      (421, { "GET /?token=\($0.token) HTTP/1.1\r\nHost: evil.example\r\n\r\n" }),
      (405, { head("DELETE /events", $0) }), (404, { head("GET /favicon.ico", $0) }),
      (403, { head("POST /act", $0) }),
    ]
    for (status, request) in requests {
      let answer = try ask(request)
      #expect(
        answer.status == status && answer.body.hasPrefix(#"{"error":""#) && answer.body.hasSuffix(#""}"#))
    }
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
