// Baton/Serve: a running phone over HTTP on 127.0.0.1: a page, events, metrics, and with --control the actions of a live
// screen. The gate decides who may ask for what; the phone is read and driven by `Live` alone, as by `baton watch`.

import Crypto
import DaemonRuntime
import Ground
import HTTP
import PhonePolicy

/// One phone's server.
package final class Serve {
  /// Actions of a lane that wait for the phone.
  private static let actionsMax = 4
  private static let tokenBytes = 16

  private let phone: Phone
  private let loop: EventLoop
  private let isControlled: Bool
  private let token: String
  private let cookie: String
  private let lanes: LiveLanes
  private let tally: LiveTally
  private let tallyThread: SideThread
  private var server: HTTPServer?
  private var feed: LiveFeed?
  private var view: LiveView?
  private var streams: [ObjectIdentifier: HTTPStream] = [:]
  private var awaitingView: [HTTPPromise] = []
  private var awaitingMetrics: [HTTPPromise] = []
  private var isCounting = false

  /// Port 0: any free one.
  package init(
    _ phone: Phone, port: UInt16, isControlled: Bool, loop: EventLoop,
    onFailure: @escaping (SystemError) -> Void
  ) throws(SystemError) {
    self.phone = phone
    self.loop = loop
    self.isControlled = isControlled
    token = Hexadecimal.encode(randomBytes(Self.tokenBytes))
    cookie = Hexadecimal.encode(randomBytes(Self.tokenBytes))
    lanes = LiveLanes(phone, loop: loop)
    tally = LiveTally(phone)
    tallyThread = SideThread(loop: loop)
    var settings = HTTPServer.Settings(
      crowded: HTTPResponse(
        status: 503, error: "there are too many connections; close other pages of this server"),
      late: HTTPResponse(status: 408, error: "no request came within 10 s; connect and send it at once"))
    settings.headers = ServeGate.headers
    settings.bodyBytesMax = ServeGate.bodyBytesMax
    server = try HTTPServer(
      HostAndPort(loopback: port), loop: loop, settings: settings,
      replying: { [unowned self] in reply(to: $0) })
    feed = try LiveFeed(phone, loop: loop, onView: { [unowned self] in show($0) }, onFailure: onFailure)
  }

  package func stop() { feed?.stop() }

  package var document: ServeAddress {
    ServeAddress(
      home: phone.home, url: "http://\(address)/?token=\(token)", port: Int64(address.port), token: token,
      control: isControlled)
  }

  private var address: HostAndPort { server?.address ?? HostAndPort(loopback: 0) }

  // MARK: Requests

  private func reply(to request: HTTPRequest) -> HTTPReply {
    let gate = ServeGate(token: token, cookie: cookie, port: address.port, isControlled: isControlled)
    let route: ServeRoute
    do throws(ServeRefusal) { route = try gate.route(request) } catch {
      return .now(HTTPResponse(status: error.status, error: error.description, allow: error.allow))
    }
    switch route {
    case .page(let hasToken): return .now(page(gate, hasToken))
    case .events: return .stream(stream())
    case .status:
      if let view { return .now(HTTPResponse(status: 200, json: view.json)) }
      let promise = HTTPPromise()
      awaitingView.append(promise)
      return .later(promise)
    case .metrics: return metrics()
    case .act(let name): return act(LiveAction(rawValue: name))
    }
  }

  /// The cookie is for the page's events, which can send no header; the page drops the token from its address, and keeps
  /// it in its tab. Who has the cookie alone, as every server of this machine that the browser visits, gets no token from
  /// us.
  private func page(_ gate: ServeGate, _ hasToken: Bool) -> HTTPResponse {
    let html = LivePage(
      home: phone.home, isControlled: isControlled, token: isControlled && hasToken ? token : nil
    ).html
    return HTTPResponse(
      status: 200, contentType: "text/html; charset=utf-8", body: html,
      more: [
        HTTPHeader("Set-Cookie", "\(gate.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict"),
        HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("X-Frame-Options", "DENY"),
        HTTPHeader("Referrer-Policy", "no-referrer"), HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
      ])
  }

  // MARK: Events

  private func show(_ view: LiveView) {
    self.view = view
    let json = view.json
    for stream in streams.values { stream.offer(event: "view", data: json) }
    for promise in awaitingView { promise.keep(HTTPResponse(status: 200, json: json)) }
    awaitingView = []
    if !awaitingMetrics.isEmpty { count(view) }
  }

  private func stream() -> HTTPStream {
    let stream = HTTPStream()
    let key = ObjectIdentifier(stream)
    streams[key] = stream
    stream.onEnd = { [weak self] in self?.streams[key] = nil }
    if let view { stream.offer(event: "view", data: view.json) }
    return stream
  }

  // MARK: Metrics

  /// Counting takes as long as the journals are long: whoever asks meanwhile gets the same answer. Before the first look
  /// there is nothing to count.
  private func metrics() -> HTTPReply {
    let promise = HTTPPromise()
    awaitingMetrics.append(promise)
    if let view { count(view) }
    return .later(promise)
  }

  private func count(_ view: LiveView) {
    guard !isCounting else { return }
    isCounting = true
    let tally = tally
    let answer = { [unowned self] (response: HTTPResponse) in
      for promise in awaitingMetrics { promise.keep(response) }
      awaitingMetrics = []
      isCounting = false
    }
    do throws(SystemError) {
      try tallyThread.perform({ tally.metrics(view) }) { text in
        answer(HTTPResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: text))
      }
    } catch { answer(HTTPResponse(status: 503, error: error.description)) }
  }

  // MARK: Actions

  private func act(_ action: LiveAction?) -> HTTPReply {
    guard let action, lanes.waiting(in: action.lane) < Self.actionsMax else {
      return .now(
        HTTPResponse(
          status: 503, error: "\(Self.actionsMax) actions wait for the phone; try again when one is done"))
    }
    let promise = HTTPPromise()
    do throws(SystemError) {
      try lanes.perform(action) { [unowned self] outcome in
        promise.keep(Self.response(outcome))
        feed?.lookSoon()
      }
    } catch { return .now(HTTPResponse(status: 503, error: error.description)) }
    return .later(promise)
  }

  /// What the phone refuses is no mistake in the request.
  private static func response(_ outcome: LiveOutcome) -> HTTPResponse {
    guard !outcome.isFailure else { return HTTPResponse(status: 409, error: outcome.sentence) }
    return HTTPResponse(
      status: 200, json: ServeDone(did: outcome.action.rawValue, sentence: outcome.sentence).json)
  }
}

/// What a request may ask for.
enum ServeRoute: Hashable, Sendable {
  /// The request has the token, not the cookie alone.
  case page(hasToken: Bool)
  case events
  case status
  case metrics
  /// The name of an action.
  case act(String)
}

/// Decides who may ask for what: no page of another site, and nobody without the token or the cookie of this run.
struct ServeGate: Sendable {
  static let bodyBytesMax = 256
  static let headers = ["Cookie", "Authorization", "Content-Type"]
  static let actions = LiveAction.allCases.map(\.rawValue)

  let token: String
  /// Reads, and never acts: a browser sends it to all ports of the host, so to servers of other users.
  let cookie: String
  let port: UInt16
  let isControlled: Bool

  /// Servers on other ports of this host set cookies too.
  var cookieName: String { "baton-\(port)" }

  func route(_ request: HTTPRequest) throws(ServeRefusal) -> ServeRoute {
    do throws(ForeignRequest) { try ForeignRequest.check(request, port: port) } catch {
      throw .foreign(error)
    }
    let (path, query) = Self.split(request.target)
    let hasToken = try checkToken(request, query)
    if path == "/act" { return try action(request) }
    guard path == "/" || Self.paths[path] != nil else { throw .noSuchPath }
    guard request.method == "GET" else { throw .otherMethod(allowed: "GET") }
    return Self.paths[path] ?? .page(hasToken: hasToken)
  }

  private static let paths: [String: ServeRoute] = [
    "/events": .events, "/status.json": .status, "/metrics": .metrics,
  ]

  private static func split(_ target: String) -> (path: String, query: Substring) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count > 1 ? parts[1] : "")
  }

  // MARK: The token

  /// False: the request has the cookie alone.
  private func checkToken(_ request: HTTPRequest, _ query: Substring) throws(ServeRefusal) -> Bool {
    let said = request.headers["Cookie"].flatMap { Self.value(of: cookieName, in: $0[...], between: ";") }
    // All are compared, so that the time does not tell which way is tried.
    let hits = [
      Self.isSame(Self.value(of: "token", in: query, between: "&"), token),
      Self.isSame(request.bearer, token), Self.isSame(said, cookie),
    ]
    guard hits.contains(true) else { throw .noToken }
    return hits[0] || hits[1]
  }

  private static func isSame(_ said: String?, _ secret: String) -> Bool {
    ConstantTime.areEqual(Array((said ?? "").utf8), Array(secret.utf8))
  }

  /// The first value of that name in `name=value` pairs.
  private static func value(of name: String, in text: Substring, between separator: Character) -> String? {
    for pair in text.split(separator: separator) {
      let parts = pair.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }

  // MARK: Actions

  /// A form or an image of another site sends cookies, but no such header and no JSON.
  private func action(_ request: HTTPRequest) throws(ServeRefusal) -> ServeRoute {
    guard request.method == "POST" else { throw .otherMethod(allowed: "POST") }
    guard isControlled else { throw .noControl }
    guard Self.isSame(request.bearer, token) else { throw .actionNeedsHeader }
    let type = request.headers["Content-Type"]?.split(separator: ";").first.map { $0.lowercased() }
    guard type?.trimmed == "application/json" else { throw .noJSON }
    guard !request.body.isEmpty, request.body.count <= Self.bodyBytesMax else { throw .bodyMissing }
    guard case .object(let members)? = JSONValue(parsing: request.body), members.count == 1,
      members[0].key == "do", let name = members[0].value.text
    else { throw .badBody }
    guard Self.actions.contains(name) else { throw .noSuchAction }
    return .act(name)
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

/// Why a request is not answered: one sentence, and the status.
struct ServeRefusal: Error, Hashable, CustomStringConvertible {
  let status: Int
  var allow: String?
  let description: String

  private init(_ status: Int, allow: String? = nil, _ description: String) {
    (self.status, self.allow, self.description) = (status, allow, description)
  }

  static func foreign(_ request: ForeignRequest) -> Self { Self(request.status, request.description) }
  static let noToken = Self(
    401,
    "the token is missing or wrong; use the URL that `baton serve` has printed, or send its token as `Authorization: Bearer TOKEN`"
  )
  static let noSuchPath = Self(
    404, "there is no such path; there are /, /events, /status.json, /metrics and /act")
  static func otherMethod(allowed: String) -> Self {
    Self(405, allow: allowed, "this path takes \(allowed) only")
  }
  static let noControl = Self(
    403, "this server only shows the phone; start it with --control to drive the phone")
  static let actionNeedsHeader = Self(
    401, "an action takes its token from `Authorization: Bearer TOKEN` alone")
  static let noJSON = Self(415, "the body must be JSON; send `Content-Type: application/json`")
  static let bodyMissing = Self(
    400,
    "the body is missing, has no Content-Length, or is longer than \(ServeGate.bodyBytesMax) bytes; send {\"do\":\"pay\"}"
  )
  static let badBody = Self(
    400, "the body is not a JSON object with the text `do` alone; send {\"do\":\"pay\"}")
  static let noSuchAction = Self(
    400, "there is no such action; `do` is one of \(ServeGate.actions.joined(separator: ", "))")
}

/// What `baton serve` prints.
package struct ServeAddress: Report {
  package var home: String
  /// With the token; it opens the page.
  package var url: String
  package var port: Int64
  /// For `Authorization: Bearer`.
  package var token: String
  package var control: Bool
}

/// The answer to a done action.
package struct ServeDone: Report {
  package var did: String
  package var sentence: String
}
