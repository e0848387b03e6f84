import Ground

/// What a wallet asks of its LSP's webhooks: the methods of LSPS5, and LSPS0's one.
public enum WebhookRequest: Hashable, Codable, Sendable {
  case protocols
  /// Insert or replace.
  case set(name: String, url: String)
  case list
  case remove(name: String)

  private static let protocolsMethod = "lsps0.list_protocols"
  private static let setMethod = "lsps5.set_webhook"
  private static let listMethod = "lsps5.list_webhooks"
  private static let removeMethod = "lsps5.remove_webhook"

  init(_ request: ServiceRequest) throws(ServiceError) {
    switch request.method {
    case Self.protocolsMethod:
      _ = try request.texts([])
      self = .protocols
    case Self.setMethod:
      let texts = try request.texts(["app_name", "webhook"])
      self = .set(name: texts[0], url: texts[1])
    case Self.listMethod:
      _ = try request.texts([])
      self = .list
    case Self.removeMethod: self = .remove(name: try request.texts(["app_name"])[0])
    default: throw .unknownMethod
    }
  }

  /// The message's payload. LSPS0: the id is random, of at least 80 bits.
  public func encoded(id: String) -> [UInt8] {
    switch self {
    case .protocols: ServiceRequest.encoded(Self.protocolsMethod, id: id, [:])
    case .list: ServiceRequest.encoded(Self.listMethod, id: id, [:])
    case .set(let name, let url):
      ServiceRequest.encoded(Self.setMethod, id: id, ["app_name": .string(name), "webhook": .string(url)])
    case .remove(let name): ServiceRequest.encoded(Self.removeMethod, id: id, ["app_name": .string(name)])
    }
  }

  /// Nil for a result without the answer's members. Unknown members are ignored.
  public func answer(reading result: JSONValue) -> WebhookAnswer? {
    switch self {
    case .protocols: return result["protocols"]?.elements.map { .protocols($0.compactMap(\.uint)) }
    case .set:
      guard let count = result["num_webhooks"]?.uint, let max = result["max_webhooks"]?.uint,
        let isUnchanged = result["no_change"]?.flag
      else { return nil }
      return .set(count: count, max: max, isUnchanged: isUnchanged)
    case .list:
      guard let names = result["app_names"]?.elements, let max = result["max_webhooks"]?.uint else {
        return nil
      }
      return .list(names: names.compactMap(\.text), max: max)
    case .remove: return .removed
    }
  }
}

/// The LSP's answer when it has done what it was asked.
public enum WebhookAnswer: Hashable, Codable, Sendable {
  case protocols([UInt64])
  case set(count: UInt64, max: UInt64, isUnchanged: Bool)
  case list(names: [String], max: UInt64)
  case removed

  var result: JSONValue {
    switch self {
    case .protocols(let numbers): ["protocols": .array(numbers.map { .number("\($0)") })]
    case .set(let count, let max, let isUnchanged):
      [
        "num_webhooks": .number("\(count)"), "max_webhooks": .number("\(max)"),
        "no_change": .bool(isUnchanged),
      ]
    case .list(let names, let max):
      ["app_names": .array(names.map { .string($0) }), "max_webhooks": .number("\(max)")]
    case .removed: [:]
    }
  }
}

// Lightning/Webhooks: LSPS0 (bLIP-50), JSON-RPC 2.0 between a wallet and its LSP, and LSPS5 (bLIP-55), by which a wallet names the
// URLs that the LSP calls while the wallet is away. Pure: the caller signs, sends and stores.

/// One JSON-RPC request, the payload of one message.
public struct ServiceRequest: Hashable, Sendable {
  /// The answer repeats an id of at most this many bytes.
  static let idBytesMax = 256

  /// As the client wrote it: a text or a number.
  public let id: JSONValue
  public let method: String
  public let params: [JSONMember]

  /// LSPS0: what is not exactly one request, or has an array of parameters, is no request. Other members are ignored.
  public init(parsing bytes: [UInt8]) throws(ServiceError) {
    guard let value = JSONValue(parsing: bytes), value.isObject, value["jsonrpc"]?.text == "2.0",
      let id = Self.id(value["id"]), let method = value["method"]?.text
    else { throw .badFormat }
    switch value["params"] {
    case .object(let members)?: params = members
    case nil: params = []
    default: throw .badFormat
    }
    self.id = id
    self.method = method
  }

  private static func id(_ value: JSONValue?) -> JSONValue? {
    switch value {
    case .string(let text)? where text.utf8.count <= idBytesMax: value
    case .number(let digits)? where digits.utf8.count <= idBytesMax: value
    default: nil
    }
  }

  /// These parameters and no others, each a text.
  func texts(_ names: [String]) throws(ServiceError) -> [String] {
    let unrecognized = params.map(\.key).filter { !names.contains($0) }
    let texts = names.compactMap { name in params.first { $0.key == name }?.value.text }
    guard unrecognized.isEmpty, texts.count == names.count else {
      throw .badParameters(unrecognized: unrecognized)
    }
    return texts
  }

  static func encoded(_ method: String, id: String, _ params: JSONValue) -> [UInt8] {
    let request: JSONValue = [
      "jsonrpc": .string("2.0"), "id": .string(id), "method": .string(method), "params": params,
    ]
    return Array(request.json.utf8)
  }
}
