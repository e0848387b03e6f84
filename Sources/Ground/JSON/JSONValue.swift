// Ground/JSON: the one writer and the one strict parser, for any value and for `Codable` types. Pure: it imports nothing,
// not even Foundation, as the extension links it. Its output is canonical, and it rejects texts that other parsers
// read differently.

/// Any JSON value, with members in order and numbers as written: journals have 64-bit integers that do not fit a
/// `Double`.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// Nil for anything but exactly one value in UTF-8, and for duplicate member names, where readers differ.
  public init?(parsing bytes: [UInt8]) {
    guard let value = JSONParser.parse(bytes) else { return nil }
    self = value
  }

  /// A null member counts as missing.
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

  /// The original text, except for spaces and escapes.
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

  /// Nil if the number does not fit or is not written as an integer.
  func integer<T: FixedWidthInteger>() -> T? { if case .number(let digits) = self { T(digits) } else { nil } }
}

/// The members that have a value, in this order.
extension JSONValue: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral members: (String, JSONValue?)...) {
    self = .object(members.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } })
  }
}

public struct JSONMember: Hashable, Sendable {
  public let key: String
  public let value: JSONValue

  public init(key: String, value: JSONValue) {
    self.key = key
    self.value = value
  }
}
