import Ground

/// An error of LSPS0 or LSPS5, by its code.
public struct ServiceError: Error, Hashable, Codable, Sendable {
  public let code: Int64
  /// The parameters that are not known.
  private var unrecognized: [String]?
  private var maxWebhooks: UInt64?

  // JSON-RPC.
  /// The payload is no request.
  public static let badFormat = Self(code: -32700)
  public static let unknownMethod = Self(code: -32601)
  /// A parameter is missing or no text, or the named ones are not known.
  public static func badParameters(unrecognized: [String]) -> Self {
    Self(code: -32602, unrecognized: unrecognized)
  }

  // LSPS5.
  public static let tooLong = Self(code: 500)
  public static let unreadableURL = Self(code: 501)
  public static let unsupportedProtocol = Self(code: 502)
  public static func tooManyWebhooks(max: UInt64) -> Self { Self(code: 503, maxWebhooks: max) }
  public static let unknownName = Self(code: 1010)
  /// In LDK's LSP, as the next: there were too many registrations.
  public static let slowDown = Self(code: 1002)
  /// Not in the specification, but in LDK's LSP: this node has no channel here.
  public static let noChannel = Self(code: 1003)

  /// Any other, from another LSP.
  public static func other(code: Int64) -> Self { Self(code: code) }

  /// By code, the specification's name and the sentence for the wallet's user.
  private static let meanings: [Int64: (word: String, sentence: String)] = [
    -32700: ("parse error", "the peer cannot read the request; update this program"),
    -32601: ("Method not found", "the peer does not support webhooks (LSPS5); use another peer"),
    -32602: ("Invalid params", "the peer does not know a parameter of the request; update this program"),
    500: (
      "too_long",
      "the name or the URL is too long; a name may have \(Webhook.nameBytesMax) bytes, a URL \(WebhookURL.charactersMax)"
    ),
    501: ("url_parse_error", "the peer cannot read the URL; write it in ASCII, as https://HOST/PATH"),
    502: (
      "unsupported_protocol",
      "the peer does not call this URL; use https, and with lspd a URL of this machine (lspd --webhooks)"
    ),
    1002: (
      "slow_down",
      "the wallet has registered too often; wait a minute, then register the webhook again"
    ),
    1003: ("no_prior_activity", "the peer has no channel with this wallet; open one first"),
    1010: (
      "app_name_not_found",
      "the peer has no webhook of this name; list the names with `baton webhook list`"
    ),
  ]

  /// The specification's name.
  public var word: String { maxWebhooks == nil ? Self.meanings[code]?.word ?? "error" : "too_many_webhooks" }

  // MARK: JSON

  var value: JSONValue {
    let data: JSONValue? =
      unrecognized.map { ["unrecognized": .array($0.map { .string($0) })] }
      ?? maxWebhooks.map { ["max_webhooks": .number("\($0)")] }
    return ["code": .number("\(code)"), "message": .string(word), "data": data]
  }

  /// By its code alone: an LSP's sentence is not shown to users. An unreadable error has the code 0.
  init(reading value: JSONValue) {
    self.init(code: value["code"]?.int ?? 0)
    let data = value["data"]
    if code == -32602 { unrecognized = (data?["unrecognized"]?.elements ?? []).compactMap(\.text) }
    if code == 503 { maxWebhooks = data?["max_webhooks"]?.uint }
  }

  private init(code: Int64, unrecognized: [String]? = nil, maxWebhooks: UInt64? = nil) {
    self.code = code
    self.unrecognized = unrecognized
    self.maxWebhooks = maxWebhooks
  }
}

extension ServiceError: CustomStringConvertible {
  /// For the wallet's user.
  public var description: String {
    if let maxWebhooks { return "the peer takes \(maxWebhooks) webhooks and has as many; remove one first" }
    return Self.meanings[code]?.sentence ?? "the peer refused with the unknown error \(code); try again later"
  }
}
