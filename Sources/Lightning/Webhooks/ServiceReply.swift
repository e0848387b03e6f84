import Ground

/// The answer to a request, as the client reads it.
public struct ServiceReply: Hashable, Sendable {
  public let id: String
  public let outcome: Result<JSONValue, ServiceError>

  /// Nil for anything else, also for notifications and for the answer to a message without a readable id.
  public init?(parsing bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes), value.isObject, let id = value["id"]?.text else {
      return nil
    }
    self.id = id
    if let error = value["error"] {
      outcome = .failure(ServiceError(reading: error))
    } else if let result = value["result"], result.isObject {
      outcome = .success(result)
    } else {
      return nil
    }
  }

  static func encoded(_ id: JSONValue, result: [JSONMember]) -> String {
    encoded(id, JSONMember(key: "result", value: .object(result)))
  }

  static func encoded(_ id: JSONValue, _ error: ServiceError) -> String {
    encoded(id, JSONMember(key: "error", value: error.value))
  }

  private static func encoded(_ id: JSONValue, _ outcome: JSONMember) -> String {
    JSONValue.object([
      JSONMember(key: "jsonrpc", value: .string("2.0")), JSONMember(key: "id", value: id), outcome,
    ]).json
  }
}
