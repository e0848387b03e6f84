/// Parses one JSON text in UTF-8. Nil for anything but exactly one value, and for duplicate member names, where
/// readers differ.
struct JSONParser {
  private let bytes: [UInt8]
  private var position = 0
  private var repeated: String?
  /// Deeper than any of our records, and shallow enough for the stack.
  private static let maximumDepth = 64

  static func parse(_ bytes: [UInt8]) -> JSONValue? {
    var parser = JSONParser(bytes: bytes)
    guard let value = parser.value(depth: 0) else { return nil }
    parser.skipSpace()
    return parser.position == bytes.count ? value : nil
  }

  /// Nil if there is a value.
  static func fault(_ bytes: [UInt8]) -> JSONFault? {
    guard parse(bytes) == nil else { return nil }
    var parser = JSONParser(bytes: bytes)
    _ = parser.value(depth: 0)
    let line = 1 + bytes[..<parser.position].count { $0 == 10 }
    return JSONFault(line: line, repeated: parser.repeated)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func word(_ word: String, _ value: JSONValue) -> JSONValue? {
    guard bytes[position...].starts(with: word.utf8) else { return nil }
    position += word.utf8.count
    return value
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth < Self.maximumDepth else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func number() -> JSONValue? {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    let isZero = next == UInt8(ascii: "0")
    guard let whole = digits(), whole == 1 || !isZero else { return nil }
    if next == UInt8(ascii: ".") {
      position += 1
      guard digits() != nil else { return nil }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard digits() != nil else { return nil }
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// The number of digits; nil for none.
  private mutating func digits() -> Int? {
    let start = position
    while let byte = next, (48...57).contains(byte) { position += 1 }
    return position > start ? position - start : nil
  }

  private mutating func array(depth: Int) -> JSONValue? {
    guard take("[") else { return nil }
    if take("]") { return .array([]) }
    var items: [JSONValue] = []
    repeat {
      guard let item = value(depth: depth + 1) else { return nil }
      items.append(item)
    } while take(",")
    return take("]") ? .array(items) : nil
  }

  private mutating func object(depth: Int) -> JSONValue? {
    guard take("{") else { return nil }
    if take("}") { return .object([]) }
    var members: [JSONMember] = []
    // Most objects have few members: comparing is quicker than hashing.
    var keys: Set<String> = []
    repeat {
      skipSpace()
      guard let key = string() else { return nil }
      if members.count == Self.fewMembers { keys = Set(members.map(\.key)) }
      let isNew =
        members.count < Self.fewMembers ? !members.contains { $0.key == key } : keys.insert(key).inserted
      guard isNew else {
        repeated = key
        return nil
      }
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      members.append(JSONMember(key: key, value: value))
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private static let fewMembers = 16

  private mutating func string() -> String? {
    guard next == UInt8(ascii: "\"") else { return nil }
    position += 1
    var text: [UInt8] = []
    var start = position
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        let rest = bytes[start..<position - 1]
        guard text.isEmpty else { return String(validating: text + rest, as: UTF8.self) }
        return rest.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
      case 0..<32: return nil
      case UInt8(ascii: "\\"):
        text += bytes[start..<position - 1]
        guard let escaped = escape() else { return nil }
        text += escaped
        start = position
      default: break
      }
    }
    return nil
  }

  private mutating func escape() -> [UInt8]? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "u"): return unicode()
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    default: return nil
    }
  }

  private mutating func unicode() -> [UInt8]? {
    guard var code = fourDigits() else { return nil }
    if (0xd800..<0xdc00).contains(code), bytes[position...].starts(with: "\\u".utf8) {
      position += 2
      guard let low = fourDigits(), (0xdc00..<0xe000).contains(low) else { return nil }
      code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
    }
    return Unicode.Scalar(code).map { Array(String(Character($0)).utf8) }
  }

  private mutating func fourDigits() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    defer { position += 4 }
    // `UInt32` would accept a sign.
    guard bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "-") else { return nil }
    return UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
  }
}

/// Why a text is no JSON.
public struct JSONFault: Hashable, Sendable {
  /// Where reading ended, counted from 1.
  public let line: Int
  /// The name that an object has twice.
  public let repeated: String?

  init(line: Int, repeated: String?) {
    self.line = line
    self.repeated = repeated
  }

  /// Nil for JSON.
  public init?(in bytes: [UInt8]) {
    guard let fault = JSONParser.fault(bytes) else { return nil }
    self = fault
  }

  /// As it continues "FILE …", on one line.
  public var words: String {
    guard let repeated else { return "is not JSON on line \(line); check its brackets, commas and quotes" }
    let name = String(
      repeated.unicodeScalars.filter { (33..<127).contains($0.value) }.prefix(40).map(Character.init))
    return "has `\(name)` twice in one object, again on line \(line); leave one out"
  }
}
