import HTTP

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

  var allow: String? {
    if case .otherMethod(let allowed) = self { allowed } else { nil }
  }

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
