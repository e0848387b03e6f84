import HTTP
import Testing

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
      home: "/phone", url: url, port: 4711, token: "0123456789abcdef", isControlled: isControlled)
    #expect(ServeVerb.lines(document).first == url)
  }

  @Test func `The token is taken from the query or a bearer, and the cookie of this port reads too`() throws {
    #expect(try gate.route(request("GET", "/?token=0123456789abcdef", [:])) == .page(hasToken: true))
    #expect(try gate.route(request("GET", "/?token=0123456789abcdef", cookie)) == .page(hasToken: true))
    #expect(try gate.route(request("GET", "/")) == .page(hasToken: true))
    #expect(try gate.route(request("GET", "/events", cookie)) == .events)
    #expect(try gate.route(request("GET", "/status.json", cookie)) == .status)
    #expect(try gate.route(request("GET", "/metrics", host: "localhost:4711")) == .metrics)
  }

  @Test func `The cookie is not the token: it opens the page without it, and never an action`() throws {
    #expect(try gate.route(request("GET", "/", cookie)) == .page(hasToken: false))
    #expect(try gate.route(request("GET", "/?token=fedcba9876543210", cookie)) == .page(hasToken: false))
    for headers in [cookie, ["Authorization": "Bearer fedcba9876543210", "Cookie": cookie["Cookie"] ?? ""]] {
      #expect(refusal(request("POST", "/act", headers, body: #"{"do":"pay"}"#)) == .actionNeedsHeader)
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
      #expect(refusal(request("GET", target, headers)) == .noToken)
      #expect(refusal(request("POST", target, headers, body: #"{"do":"pay"}"#)) == .noToken)
    }
  }

  @Test(arguments: [
    nil, "", "127.0.0.1", "127.0.0.1:4712", "evil.example:4711", "127.0.0.1:4711.evil.example",
  ])
  func `A foreign Host is refused, also with the token`(host: String?) {
    #expect(refusal(request(host: host)) == .foreign(.otherHost))
  }

  @Test(arguments: [
    "null", "http://evil.example", "https://127.0.0.1:4711", "http://localhost:4711", "http://127.0.0.1",
  ])
  func `A foreign Origin is refused, also with the token`(origin: String) {
    let headers = ["Authorization": "Bearer 0123456789abcdef", "Origin": origin]
    #expect(refusal(request("GET", "/status.json", headers)) == .foreign(.otherSite))
    #expect(refusal(request("POST", "/act", headers, body: #"{"do":"pay"}"#)) == .foreign(.otherSite))
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
    #expect(try gate.route(act(#"{"do":"freeze"}"#)) == .act("freeze"))
    let shows = ServeGate(token: gate.token, cookie: gate.cookie, port: gate.port, isControlled: false)
    #expect(refusal(act(#"{"do":"freeze"}"#), by: shows) == .noControl)
    #expect(refusal(request("GET", "/act")) == .otherMethod(allowed: "POST"))
    #expect(refusal(request("POST", "/metrics")) == .otherMethod(allowed: "GET"))
    #expect(refusal(request("GET", "/other")) == .noSuchPath)
    let cookie = act("{}", ["Authorization": nil, "Cookie": "baton-4711=fedcba9876543210"])
    #expect(refusal(cookie) == .actionNeedsHeader)
    #expect(refusal(act(#"{"do":"pay"}"#, ["Content-Type": "text/plain"])) == .noJSON)
    #expect(refusal(act(#"{"do":"pay"}"#, ["Content-Type": nil])) == .noJSON)
    #expect(refusal(act("")) == .bodyMissing)
    #expect(refusal(act(String(repeating: " ", count: 257))) == .bodyMissing)
    for body in ["pay", "[]", "{}", #"{"do":1}"#, #"{"do":"pay","x":1}"#, #"{"x":"pay"}"#, #"{"do":"pay"}}"#]
    {
      #expect(refusal(act(body)) == .badBody, "\(body)")
    }
    #expect(refusal(act(#"{"do":"reboot"}"#)) == .noSuchAction)
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
