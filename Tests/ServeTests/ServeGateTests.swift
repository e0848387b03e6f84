import Glibc
@testable import HTTP
import TestKit

@testable import Baton

@Suite struct ServeGateTests {
  private let gate = ServeGate(
    token: "0123456789abcdef", cookie: "fedcba9876543210", port: 4711, isControlled: true)

  private func request(
    _ method: String = "GET", _ target: String = "/status.json", host: String? = "127.0.0.1:4711",
    _ headers: [String: String] = ["Authorization": "Bearer 0123456789abcdef"], body: String = ""
  ) -> HTTPRequest {
    HTTPRequest(method: method, target: target, host: host, headers: headers, body: Array(body.utf8))
  }

  private func refusal(_ request: HTTPRequest, by gate: ServeGate? = nil) -> ServeRefusal? {
    do throws(ServeRefusal) {
      _ = try (gate ?? self.gate).route(request)
      return nil
    } catch { return error }
  }

  private let cookie = ["Cookie": "a=b; baton-4711=fedcba9876543210"]

  @Test(arguments: [true, false]) func `The address is alone on its line`(isControlled: Bool) {
    let url = "http://127.0.0.1:4711/?token=0123456789abcdef"
    let document = ServeAddress(
      home: "/phone", url: url, port: 4711, token: "0123456789abcdef", control: isControlled)
    expect(ServeVerb.lines(document).first, is: url)
  }

  @Test func `The token is taken from the query or a bearer, and the cookie of this port reads too`() throws {
    expect(try gate.route(request("GET", "/?token=0123456789abcdef", [:])), is: .page(hasToken: true))
    expect(try gate.route(request("GET", "/?token=0123456789abcdef", cookie)), is: .page(hasToken: true))
    expect(try gate.route(request("GET", "/")), is: .page(hasToken: true))
    expect(try gate.route(request("GET", "/events", cookie)), is: .events)
    expect(try gate.route(request("GET", "/status.json", cookie)), is: .status)
    expect(try gate.route(request("GET", "/metrics", host: "localhost:4711")), is: .metrics)
  }

  @Test func `The cookie is not the token: it opens the page without it, and never an action`() throws {
    expect(try gate.route(request("GET", "/", cookie)), is: .page(hasToken: false))
    expect(try gate.route(request("GET", "/?token=fedcba9876543210", cookie)), is: .page(hasToken: false))
    for headers in [cookie, ["Authorization": "Bearer fedcba9876543210", "Cookie": cookie["Cookie"] ?? ""]] {
      expect(refusal(request("POST", "/act", headers, body: #"{"do":"pay"}"#)), is: .actionNeedsHeader)
    }
  }

  @Test(arguments: [
    [:], ["Cookie": "baton-4712=fedcba9876543210"], ["Cookie": "baton-4711=fedcba987654321"],
    ["Cookie": "baton-4711="], ["Cookie": "baton-4711=0123456789abcdef"],
    ["Authorization": "Bearer fedcba9876543210"],
    ["Authorization": "Bearer 0123456789abcdeX"], ["Authorization": "Basic 0123456789abcdef"],
    ["Authorization": "Bearer"], ["Authorization": "Bearer 0123456789abcdef and more"],
  ])
  func `Without the token of this run nothing is answered, not even whether a path exists`(
    headers: [String: String]
  ) {
    for target in ["/", "/events", "/status.json", "/metrics", "/act", "/other", "/?token=", "/?token=%30"] {
      expect(refusal(request("GET", target, headers)), is: .noToken)
      expect(refusal(request("POST", target, headers, body: #"{"do":"pay"}"#)), is: .noToken)
    }
  }

  @Test(arguments: [
    nil, "", "127.0.0.1", "127.0.0.1:4712", "evil.example:4711", "127.0.0.1:4711.evil.example",
  ])
  func `A foreign Host is refused, also with the token`(host: String?) {
    expect(refusal(request(host: host)), is: .foreign(.otherHost))
  }

  @Test(arguments: [
    "null", "http://evil.example", "https://127.0.0.1:4711", "http://localhost:4711", "http://127.0.0.1",
  ])
  func `A foreign Origin is refused, also with the token`(origin: String) {
    let headers = ["Authorization": "Bearer 0123456789abcdef", "Origin": origin]
    expect(refusal(request("GET", "/status.json", headers)), is: .foreign(.otherSite))
    expect(refusal(request("POST", "/act", headers, body: #"{"do":"pay"}"#)), is: .foreign(.otherSite))
  }

  private func act(_ body: String, _ more: [String: String?] = [:]) -> HTTPRequest {
    var headers = [
      "Authorization": "Bearer 0123456789abcdef", "Content-Type": "application/json; charset=utf-8",
      "Origin": "http://127.0.0.1:4711",
    ]
    for (name, value) in more { headers[name] = value }
    return request("POST", "/act", headers, body: body)
  }

  @Test func `An action needs --control, POST, a bearer, JSON and a known name`() throws {
    expect(try gate.route(act(#"{"do":"freeze"}"#)), is: .act("freeze"))
    let shows = ServeGate(token: gate.token, cookie: gate.cookie, port: gate.port, isControlled: false)
    expect(refusal(act(#"{"do":"freeze"}"#), by: shows), is: .noControl)
    expect(refusal(request("GET", "/act")), is: .otherMethod(allowed: "POST"))
    expect(refusal(request("POST", "/metrics")), is: .otherMethod(allowed: "GET"))
    expect(refusal(request("GET", "/other")), is: .noSuchPath)
    let cookie = act("{}", ["Authorization": nil, "Cookie": "baton-4711=fedcba9876543210"])
    expect(refusal(cookie), is: .actionNeedsHeader)
    expect(refusal(act(#"{"do":"pay"}"#, ["Content-Type": "text/plain"])), is: .noJSON)
    expect(refusal(act(#"{"do":"pay"}"#, ["Content-Type": nil])), is: .noJSON)
    expect(refusal(act("")), is: .bodyMissing)
    expect(refusal(act(String(repeating: " ", count: 257))), is: .bodyMissing)
    for body in ["pay", "[]", "{}", #"{"do":1}"#, #"{"do":"pay","x":1}"#, #"{"x":"pay"}"#, #"{"do":"pay"}}"#]
    {
      expect(refusal(act(body)), is: .badBody, "\(body)")
    }
    expect(refusal(act(#"{"do":"reboot"}"#)), is: .noSuchAction)
  }

  @Test func `Each refusal has a status of the sender, and one sentence with what to do`() {
    let all: [ServeRefusal] = [
      .foreign(.otherHost), .foreign(.otherSite), .foreign(.repeatedHost), .noToken, .noSuchPath,
      .otherMethod(allowed: "GET"), .noControl,
      .actionNeedsHeader, .noJSON, .bodyMissing, .badBody, .noSuchAction,
    ]
    for refusal in all {
      #expect((400..<500).contains(refusal.status))
      #expect(!refusal.description.contains("\n") && !refusal.description.contains(gate.token))
    }
  }
}

/// `baton serve` over real sockets.
@Suite(.waits) struct ServeProcessTests {
  @Test func `The page sets a cookie that no script reads, and allows nothing from elsewhere`() throws {
    let serve = try ServeProcess()
    let (port, token) = (serve.address.port, serve.address.token)
    let answer = try serve.ask("GET /?token=\(token) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
    #expect(answer.status == 200 && answer.head.contains("Content-Type: text/html; charset=utf-8"))
    #expect(answer.head.contains("; Path=/; HttpOnly; SameSite=Strict"))
    let cookie = try #require(
      answer.head.split(separator: "Set-Cookie: ").last?.prefix { $0 != ";" }.description)
    #expect(cookie.hasPrefix("baton-\(port)=") && !cookie.contains(token))
    #expect(answer.body.contains("default-src 'none'") && answer.body.contains("connect-src 'self'"))
    #expect(!answer.body.contains("http://") && !answer.body.contains("https://"))
  }

  @Test func `The page that the cookie opens has no token, so no button, and its cookie does nothing`() throws
  {
    let serve = try ServeProcess(["--control"])
    let opened = try serve.ask(serve.head("GET /"))
    #expect(opened.body.contains(#""token":"\#(serve.address.token)""#))
    let cookie = try #require(
      opened.head.split(separator: "Set-Cookie: ").last?.prefix { $0 != ";" }.description)
    let value = try #require(cookie.split(separator: "=").last)
    func head(_ line: String, _ more: String = "") -> String {
      "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(serve.address.port)\r\nCookie: \(cookie)\r\n\(more)\r\n"
    }
    let again = try serve.ask(head("GET /"))
    // The buttons' names alone: a tab that has kept the token makes buttons of them.
    #expect(again.status == 200 && again.body.contains(#""name":"kill""#))
    #expect(!again.body.contains(serve.address.token) && !again.body.contains(#""token":"#))
    expect(try serve.ask(head("GET /status.json")).status, is: 200)
    let body = "Content-Type: application/json\r\nContent-Length: 13\r\n"
    for more in ["", "Authorization: Bearer \(value)\r\n"] {
      let acted = try serve.ask(head("POST /act", more + body) + #"{"do":"kill"}"#)
      expect(acted.status, is: 401, "\(acted)")
    }
  }

  @Test func `Each run has another token, and ends with 0 when it is told to end`() throws {
    let (one, other) = (try ServeProcess(), try ServeProcess())
    #expect(one.address.token != other.address.token && one.address.token.count == 32)
    expect(one.address.url, is: "http://127.0.0.1:\(one.address.port)/?token=\(one.address.token)")
    expect(one.end(), is: 0)
  }

  @Test func `The status waits for the first look`() throws {
    let serve = try ServeProcess()
    let answer = try serve.ask(serve.head("GET /status.json"))
    #expect(answer.status == 200 && answer.head.contains("Content-Type: application/json"))
    #expect(answer.body.contains(#""sentence":"no process: the wallet has never run""#))
  }

  @Test func `Events are views, one after the other on one connection`() throws {
    let serve = try ServeProcess()
    let answer = try serve.ask(serve.head("GET /events")) { $0.ranges(of: "event: view\ndata: {").count > 2 }
    #expect(answer.status == 200 && answer.head.contains("Content-Type: text/event-stream"))
    #expect(answer.body.ranges(of: "event: view\ndata: {").count > 2)
  }

  @Test func `Streams that nobody reads and clients that say nothing hold up no other client`() throws {
    let serve = try ServeProcess()
    let clients = try (0..<100).map { number in
      let client = try serve.connected()
      let bytes = Array(serve.head("GET /events").utf8)
      if number.isMultiple(of: 4) { send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
      return client
    }
    defer { for client in clients { close(client) } }
    expect(try serve.ask(serve.head("GET /status.json")).status, is: 200)
    expect(try serve.ask(serve.head("GET /metrics")).status, is: 200)
  }

  @Test func `More than 32 streams are refused with one sentence, and a page is still served`() throws {
    let serve = try ServeProcess()
    var clients: [Int32] = []
    defer { for client in clients { close(client) } }
    for _ in 0..<32 {
      let client = try serve.connected()
      clients.append(client)
      let bytes = Array(serve.head("GET /events").utf8)
      send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      var byte: UInt8 = 0
      // It is a stream now.
      expect(recv(client, &byte, 1, 0), is: 1)
    }
    let refused = try serve.ask(serve.head("GET /events"))
    #expect(refused.status == 503 && refused.body.hasPrefix(#"{"error":""#))
    expect(try serve.ask(serve.head("GET /")).status, is: 200)
  }

  @Test func `Metrics are in Prometheus' format`() throws {
    let serve = try ServeProcess()
    let answer = try serve.ask(serve.head("GET /metrics"))
    #expect(answer.status == 200 && answer.head.contains("Content-Type: text/plain; version=0.0.4"))
    #expect(answer.body.contains("# TYPE baton_up gauge\nbaton_up{daemon=\"iosd\"} 0\n"))
  }

  @Test func `An action that the phone refuses is answered with its sentence and 409`() throws {
    let serve = try ServeProcess(["--control"])
    let answer = try serve.ask(
      serve.head("POST /act", "Content-Type: application/json\r\nContent-Length: 13\r\n") + #"{"do":"open"}"#)
    #expect(answer.status == 409 && answer.body.hasPrefix(#"{"error":""#), "\(answer)")
  }

  @Test(arguments: [
    "Content-Length: 257", "Content-Length: 99999999999999999999", "Content-Length: -1",
    "Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 13",
    "Content-Length: 13\r\nTransfer-Encoding: chunked",
  ])
  func `A body without a length, or one that is too long, is not waited for`(length: String) throws {
    let serve = try ServeProcess(["--control"])
    let answer = try serve.ask(serve.head("POST /act", "Content-Type: application/json\r\n\(length)\r\n"))
    #expect((400..<500).contains(answer.status), "\(answer)")
  }

  @Test func `Without a token, from a foreign Host and by another method the answer is one sentence of JSON`()
    throws
  {
    let serve = try ServeProcess()
    let requests = [
      (401, "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(serve.address.port)\r\n\r\n"),
      (421, "GET /?token=\(serve.address.token) HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
      (400, serve.head("GET /metrics", "Host: evil.example\r\n")),
      (403, serve.head("GET /metrics", "Origin: http://evil.example\r\n")),
      (403, serve.head("GET /metrics", "Sec-Fetch-Site: cross-site\r\n")),
      (405, serve.head("DELETE /events")), (404, serve.head("GET /favicon.ico")),
      (403, serve.head("POST /act")),
    ]
    for (status, request) in requests {
      let answer = try serve.ask(request)
      #expect(
        answer.status == status && answer.body.hasPrefix(#"{"error":""#) && answer.body.hasSuffix(#""}"#))
    }
  }
}
