// JSON: the one writer and the one strict reader, for any value and for `Codable` types. Pure: it imports nothing, no
// Foundation either, as the extension links it. What it writes is canonical, and what two readers would read in two ways
// it does not read.

/// Any JSON, with its members in their order and its numbers as they were written: journals hold 64-bit numbers that no
/// `Double` can.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// Nil for anything that is not exactly one value in UTF-8, and where readers would differ: two members of one name.
  public init?(parsing bytes: [UInt8]) {
    guard let value = JSONParser.parse(bytes) else { return nil }
    self = value
  }

  /// A member that is null counts as none.
  public subscript(name: String) -> JSONValue? {
    guard let value = member(name), value != .null else { return nil }
    return value
  }

  func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == name }?.value
  }

  public var text: String? { if case .string(let text) = self { text } else { nil } }
  public var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  public var isObject: Bool { if case .object = self { true } else { false } }
  public var int: Int64? { integer() }
  public var uint: UInt64? { integer() }
  public var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }

  /// As it was read, but for spaces and escapes.
  public var json: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(JSONText.quoted($0.key)):\($0.value.json)" }.joined(separator: ","))}"
    }
  }

  /// Nil for what does not fit, and for a number that is not written as an integer.
  func integer<T: FixedWidthInteger>() -> T? { if case .number(let digits) = self { T(digits) } else { nil } }
}

public struct JSONMember: Hashable, Sendable {
  public let key: String
  public let value: JSONValue

  public init(key: String, value: JSONValue) {
    self.key = key
    self.value = value
  }
}
