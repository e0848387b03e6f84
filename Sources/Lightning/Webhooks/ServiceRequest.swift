// Webhooks: LSPS0 (bLIP-50), JSON-RPC 2.0 between a wallet and its LSP, and LSPS5 (bLIP-55), by which a wallet names the
// URLs that the LSP calls while the wallet is away. Pure: the caller signs, sends and stores.

import Ground

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

  static func encoded(_ method: String, id: String, _ params: [JSONMember]) -> [UInt8] {
    Array(
      JSONValue.object([
        JSONMember(key: "jsonrpc", value: .string("2.0")), JSONMember(key: "id", value: .string(id)),
        JSONMember(key: "method", value: .string(method)),
        JSONMember(key: "params", value: .object(params)),
      ]).json.utf8)
  }
}
