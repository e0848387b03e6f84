import Crypto
import DaemonRuntime
import Ground
import HTTP

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
enum ServeRefusal: Error, Hashable, CustomStringConvertible {
  case foreign(ForeignRequest)
  case noToken
  case noSuchPath
  case otherMethod(allowed: String)
  case noControl
  case actionNeedsHeader
  case noJSON
  case bodyMissing
  case badBody
  case noSuchAction

  var status: Int {
    switch self {
    case .foreign(let request): request.status
    case .noControl: 403
    case .noToken, .actionNeedsHeader: 401
    case .noSuchPath: 404
    case .otherMethod: 405
    case .noJSON: 415
    case .bodyMissing, .badBody, .noSuchAction: 400
    }
  }

  var allow: String? { if case .otherMethod(let allowed) = self { allowed } else { nil } }

  var description: String {
    switch self {
    case .foreign(let request): request.description
    case .noToken:
      "the token is missing or wrong; use the URL that `baton serve` has printed, or send its token as `Authorization: Bearer TOKEN`"
    case .noSuchPath: "there is no such path; there are /, /events, /status.json, /metrics and /act"
    case .otherMethod(let allowed): "this path takes \(allowed) only"
    case .noControl: "this server only shows the phone; start it with --control to drive the phone"
    case .actionNeedsHeader: "an action takes its token from `Authorization: Bearer TOKEN` alone"
    case .noJSON: "the body must be JSON; send `Content-Type: application/json`"
    case .bodyMissing:
      "the body is missing, has no Content-Length, or is longer than \(ServeGate.bodyBytesMax) bytes; send {\"do\":\"pay\"}"
    case .badBody: "the body is not a JSON object with the text `do` alone; send {\"do\":\"pay\"}"
    case .noSuchAction: "there is no such action; `do` is one of \(ServeGate.actions.joined(separator: ", "))"
    }
  }
}
