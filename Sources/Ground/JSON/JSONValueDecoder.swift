/// The `Decoder` of `JSONLineDecoder`, and its single-value container, which the two other containers use.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let path: JSONPath
  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object = value else { throw mismatch([String: Any].self, "an object") }
    return KeyedDecodingContainer(JSONKeyedReader<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self, "an array") }
    return JSONListReader(elements: elements, decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func inner(_ value: JSONValue, at key: @autoclosure () -> any CodingKey) -> JSONValueDecoder {
    JSONValueDecoder(value: value, path: path.member(key()))
  }

  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "expected \(expected)"))
  }

  // MARK: Single value

  func decodeNil() -> Bool { value == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard let flag = value.flag else { throw mismatch(type, "true or false") }
    return flag
  }

  func decode(_ type: String.Type) throws -> String {
    guard let text = value.text else { throw mismatch(type, "a text") }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double { try fraction() }
  func decode(_ type: Float.Type) throws -> Float { try fraction() }

  private func fraction<T: BinaryFloatingPoint & LosslessStringConvertible>() throws -> T {
    guard case .number(let digits) = value, let number = T(digits), number.isFinite else {
      throw mismatch(T.self, "a number")
    }
    return number
  }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    guard let number: T = value.integer() else { throw mismatch(type, "an integer of \(type)") }
    return number
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
}

struct JSONKeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: JSONValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  private var members: [JSONMember] {
    if case .object(let members) = decoder.value { members } else { [] }
  }

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

  private func member(_ key: any CodingKey) -> JSONValue? {
    decoder.value.member(decoder.path.names.name(key.stringValue))
  }

  func contains(_ key: Key) -> Bool { member(key) != nil }

  private func inner(_ key: any CodingKey) throws -> JSONValueDecoder {
    guard let value = member(key) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "the member `\(key.stringValue)` is missing"))
    }
    return decoder.inner(value, at: key)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).decodeNil() }
  // The path is made for an error alone.
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try member(key)?.flag ?? inner(key).decode(type)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try member(key)?.text ?? inner(key).decode(type)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try inner(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try inner(key).decode(type) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try member(key)?.integer() ?? inner(key).decode(type)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try inner(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try inner(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try inner(SuperKey()) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}

struct JSONListReader: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let decoder: JSONValueDecoder
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(elements: [JSONValue], decoder: JSONValueDecoder) {
    self.elements = elements
    self.decoder = decoder
  }

  private mutating func next() throws -> JSONValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self, .init(codingPath: codingPath, debugDescription: "the array ends here"))
    }
    defer { currentIndex += 1 }
    return decoder.inner(elements[currentIndex], at: IndexKey(currentIndex))
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next().decode(type) }
  mutating func decode(_ type: String.Type) throws -> String { try next().decode(type) }
  mutating func decode(_ type: Double.Type) throws -> Double { try next().decode(type) }
  mutating func decode(_ type: Float.Type) throws -> Float { try next().decode(type) }
  mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    try next().decode(type)
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }
  mutating func superDecoder() throws -> any Decoder { try next() }
}

struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) {}
  init?(intValue: Int) { nil }
}

/// The index of an element, for the coding path of an error.
private struct IndexKey: CodingKey {
  var intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }
  init(_ index: Int) { intValue = index }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { self.intValue = intValue }
}

/// Where a value is in its text, and how the names of members are written. A list with a shared beginning: an array would
/// be copied for each value.
enum JSONPath {
  /// Nobody asks for the path: only an error needs it.
  case unknown(JSONNames)
  case root(JSONNames)
  indirect case member(any CodingKey, of: JSONPath)

  var keys: [any CodingKey] {
    switch self {
    case .unknown, .root: []
    case .member(let key, let outer): outer.keys + [key]
    }
  }

  var names: JSONNames {
    switch self {
    case .unknown(let names), .root(let names): names
    case .member(_, let outer): outer.names
    }
  }

  func member(_ key: @autoclosure () -> any CodingKey) -> JSONPath {
    if case .unknown = self { self } else { .member(key(), of: self) }
  }
}
