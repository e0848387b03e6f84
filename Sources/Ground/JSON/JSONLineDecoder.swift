/// Decodes any `Decodable` from JSON, as strictly as `JSONValue` parses: exact integers, no numbers from strings,
/// no duplicate members. Unknown members are ignored.
public struct JSONLineDecoder: Sendable {
  private let names: JSONNames

  public init(names: JSONNames = .asDeclared) { self.names = names }

  /// Throws `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    guard let value = JSONValue(parsing: bytes) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "this is not valid JSON"))
    }
    return try decode(type, from: value)
  }

  public func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
    do { return try T(from: JSONValueDecoder(value: value, path: .unknown(names))) } catch {
      // Once more, for the path to the error.
      return try T(from: JSONValueDecoder(value: value, path: .root(names)))
    }
  }
}
