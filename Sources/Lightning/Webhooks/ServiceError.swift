import Ground

/// The errors of LSPS0 and LSPS5 by their codes.
public enum ServiceError: Error, Hashable, Codable, Sendable {
  // JSON-RPC.
  /// The payload is no request.
  case badFormat
  case unknownMethod
  /// A parameter is missing or no text, or the named ones are not known.
  case badParameters(unrecognized: [String])

  // LSPS5.
  case tooLong
  case unreadableURL
  case unsupportedProtocol
  case tooManyWebhooks(max: UInt64)
  case unknownName
  /// In LDK's LSP, as the next: there were too many registrations.
  case slowDown
  /// Not in the specification, but in LDK's LSP: this node has no channel here.
  case noChannel

  /// Any other, from another LSP.
  case other(code: Int64)

  public var code: Int64 {
    switch self {
    case .badFormat: -32700
    case .unknownMethod: -32601
    case .badParameters: -32602
    case .tooLong: 500
    case .unreadableURL: 501
    case .unsupportedProtocol: 502
    case .tooManyWebhooks: 503
    case .slowDown: 1002
    case .noChannel: 1003
    case .unknownName: 1010
    case .other(let code): code
    }
  }

  /// The specification's name.
  public var word: String {
    switch self {
    case .badFormat: "parse error"
    case .unknownMethod: "Method not found"
    case .badParameters: "Invalid params"
    case .tooLong: "too_long"
    case .unreadableURL: "url_parse_error"
    case .unsupportedProtocol: "unsupported_protocol"
    case .tooManyWebhooks: "too_many_webhooks"
    case .slowDown: "slow_down"
    case .noChannel: "no_prior_activity"
    case .unknownName: "app_name_not_found"
    case .other: "error"
    }
  }

  // MARK: JSON

  var value: JSONValue {
    var members = [
      JSONMember(key: "code", value: .number("\(code)")), JSONMember(key: "message", value: .string(word)),
    ]
    switch self {
    case .badParameters(let unrecognized):
      members.append(data("unrecognized", .array(unrecognized.map { .string($0) })))
    case .tooManyWebhooks(let max): members.append(data("max_webhooks", .number("\(max)")))
    default: break
    }
    return .object(members)
  }

  private func data(_ name: String, _ value: JSONValue) -> JSONMember {
    JSONMember(key: "data", value: .object([JSONMember(key: name, value: value)]))
  }

  private static let plain: [ServiceError] = [
    .badFormat, .unknownMethod, .tooLong, .unreadableURL, .unsupportedProtocol, .slowDown, .noChannel,
    .unknownName,
  ]

  /// By its code alone: an LSP's sentence is not shown to users. An unreadable error has the code 0.
  init(reading value: JSONValue) {
    let code = value["code"]?.int ?? 0
    let data = value["data"]
    if let known = Self.plain.first(where: { $0.code == code }) {
      self = known
    } else if code == ServiceError.badParameters(unrecognized: []).code {
      self = .badParameters(unrecognized: (data?["unrecognized"]?.elements ?? []).compactMap(\.text))
    } else if code == 503, let max = data?["max_webhooks"]?.uint {
      self = .tooManyWebhooks(max: max)
    } else {
      self = .other(code: code)
    }
  }
}

extension ServiceError: CustomStringConvertible {
  /// For the wallet's user.
  public var description: String {
    switch self {
    case .badFormat: "the peer cannot read the request; update this program"
    case .unknownMethod: "the peer does not support webhooks (LSPS5); use another peer"
    case .badParameters: "the peer does not know a parameter of the request; update this program"
    case .tooLong:
      "the name or the URL is too long; a name may have \(Webhook.nameBytesMax) bytes, a URL \(WebhookURL.charactersMax)"
    case .unreadableURL: "the peer cannot read the URL; write it in ASCII, as https://HOST/PATH"
    case .unsupportedProtocol:
      "the peer does not call this URL; use https, and with lspd a URL of this machine (lspd --webhooks)"
    case .tooManyWebhooks(let max): "the peer takes \(max) webhooks and has as many; remove one first"
    case .slowDown: "the wallet has registered too often; wait a minute, then register the webhook again"
    case .noChannel: "the peer has no channel with this wallet; open one first"
    case .unknownName: "the peer has no webhook of this name; list the names with `baton webhook list`"
    case .other(let code): "the peer refused with the unknown error \(code); try again later"
    }
  }
}
