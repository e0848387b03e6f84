import CMicroHTTPD

/// The head of a request. A body is not read.
public struct HTTPRequest: Hashable, Sendable {
  public var method: String
  /// Path and query as sent, without decoding.
  public var target: String
  public var host: String?

  public init(method: String, target: String, host: String?) {
    self.method = method
    self.target = target
    self.host = host
  }
}

/// An answer with one JSON document.
public struct HTTPResponse: Hashable, Sendable {
  public var status: Int
  public var json: String
  /// The methods that the path takes, for status 405.
  public var allow: String?

  public init(status: Int, json: String, allow: String? = nil) {
    self.status = status
    self.json = json
    self.allow = allow
  }

  /// Every header that libmicrohttpd does not set itself.
  var headers: [(name: String, value: String)] {
    [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Connection", "close")]
      + (allow.map { [("Allow", $0)] } ?? [])
  }

  /// Such as "Service Unavailable".
  private var reason: String { String(cString: MHD_get_reason_phrase_for(UInt32(clamping: status))) }

  /// As bytes, for a connection whose request was never read.
  var bytes: [UInt8] {
    let lines =
      ["HTTP/1.1 \(status) \(reason)"] + headers.map { "\($0.name): \($0.value)" } + [
        "Content-Length: \(json.utf8.count)", "", json,
      ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }
}
