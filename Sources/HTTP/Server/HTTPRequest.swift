import CMicroHTTPD
import Ground

/// A request's head, and its body if the server takes one.
public struct HTTPRequest: Hashable, Sendable {
  public var method: String
  /// Path and query as sent, without decoding.
  public var target: String
  public var host: String?
  public var repeatsHost = false
  /// Origin, Sec-Fetch-Site, and those that the settings name, under these names.
  public var headers: [String: String] = [:]
  public var body: [UInt8] = []

  /// The token of an `Authorization: Bearer TOKEN`.
  public var bearer: String? {
    guard let words = headers["Authorization"]?.split(separator: " "), words.count == 2,
      words[0].lowercased() == "bearer"
    else { return nil }
    return String(words[1])
  }
}

public struct HTTPHeader: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An answer: one document, by default of JSON.
public struct HTTPResponse: Hashable, Sendable {
  public var status: Int
  public var body: String
  public var contentType = "application/json"
  /// The methods that the path takes, for status 405.
  public var allow: String?
  public var more: [HTTPHeader] = []

  public init(status: Int, json: String, allow: String? = nil) {
    self.status = status
    body = json
    self.allow = allow
  }

  /// A refusal with one sentence.
  public init(status: Int, error: String, allow: String? = nil) {
    self.init(status: status, json: (["error": .string(error)] as JSONValue).json, allow: allow)
  }

  public init(status: Int, contentType: String, body: String, more: [HTTPHeader] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.more = more
  }

  /// Every header that libmicrohttpd does not set itself.
  var headers: [HTTPHeader] {
    [
      HTTPHeader("Content-Type", contentType), HTTPHeader("Cache-Control", "no-store"),
      HTTPHeader("Connection", "close"),
    ] + (allow.map { [HTTPHeader("Allow", $0)] } ?? []) + more
  }

  /// Such as "Service Unavailable".
  private var reason: String { String(cString: MHD_get_reason_phrase_for(UInt32(clamping: status))) }

  /// As bytes, for a connection whose request was never read.
  var bytes: [UInt8] {
    let lines =
      ["HTTP/1.1 \(status) \(reason)"] + headers.map { "\($0.name): \($0.value)" } + [
        "Content-Length: \(body.utf8.count)", "", body,
      ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }
}

/// How a request is answered.
public enum HTTPReply {
  case now(HTTPResponse)
  case later(HTTPPromise)
  /// With status 200, until the stream or the connection ends.
  case stream(HTTPStream)
}
