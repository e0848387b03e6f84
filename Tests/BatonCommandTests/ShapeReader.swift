import Ground

/// The JSON form of a type, recorded while the type decodes itself.
indirect enum Shape: Equatable {
  case integer, number, text, boolean
  case choice([String])
  case list(Shape)
  /// Any names with a text each.
  case texts
  case object([Member])

  struct Member: Equatable {
    var name: String
    var shape: Shape
    var isOptional: Bool
  }

  init(of type: any Decodable.Type) throws {
    func read<T: Decodable>(_ type: T.Type) throws -> Shape {
      let note = ShapeNote()
      _ = try ShapeReader(note: note).decode(type)
      return note.shape
    }
    self = try read(type)
  }
}

private final class ShapeNote {
  var shape = Shape.object([])
  var isOptional = false
  var members: [(name: String, note: ShapeNote)] = []

  /// Sets the shape from the members once all of them are read.
  func close() {
    guard !members.isEmpty else { return }
    shape = .object(
      members.map { .init(name: $0.name, shape: $0.note.closed, isOptional: $0.note.isOptional) })
  }

  private var closed: Shape {
    close()
    return shape
  }

  func member(_ name: String) -> ShapeNote {
    if let known = members.first(where: { $0.name == name }) { return known.note }
    let note = ShapeNote()
    members.append((name, note))
    return note
  }
}

/// A decoder without input: it records what is asked for and returns a value of each type.
private struct ShapeReader: Decoder, SingleValueDecodingContainer {
  let note: ShapeNote
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ShapeMembers<Key>(note: note))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { ShapeElements(note: note) }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { false }

  func decode(_ type: Bool.Type) -> Bool {
    note.shape = .boolean
    return false
  }

  func decode(_ type: String.Type) -> String {
    note.shape = .text
    return ""
  }

  func decode(_ type: Double.Type) -> Double {
    note.shape = .number
    return 0
  }

  func decode(_ type: Float.Type) -> Float {
    note.shape = .number
    return 0
  }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) -> T {
    note.shape = .integer
    return 0
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let choice = T.self as? any CaseIterable.Type, let found = Self.words(of: choice),
      let first = found.first as? T
    {
      note.shape = .choice(found.words)
      return first
    }
    // Without input there is no text that is a hash.
    if let hash = Bytes32.zero as? T {
      note.shape = .text
      return hash
    }
    let value = try T(from: self)
    note.close()
    return value
  }

  private static func words<C: CaseIterable>(of type: C.Type) -> (words: [String], first: Any)? {
    let words = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    guard let first = type.allCases.first, words.count == type.allCases.count else { return nil }
    return (words, first)
  }
}

private struct ShapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let note: ShapeNote
  var codingPath: [any CodingKey] { [] }

  /// Asked for by types that accept any names.
  var allKeys: [Key] {
    note.shape = .texts
    return []
  }

  private func reader(_ key: Key) -> ShapeReader {
    ShapeReader(note: note.member(JSONNames.snakeCase.name(key.stringValue)))
  }

  /// `decodeIfPresent` calls both first.
  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool {
    reader(key).note.isOptional = true
    return false
  }

  func decode(_ type: Bool.Type, forKey key: Key) -> Bool { reader(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) -> String { reader(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) -> Double { reader(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) -> Float { reader(key).decode(type) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) -> T {
    reader(key).decode(type)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try reader(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    reader(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    reader(key).unkeyedContainer()
  }
  func superDecoder() -> any Decoder { ShapeReader(note: note.member("super")) }
  func superDecoder(forKey key: Key) -> any Decoder { reader(key) }
}

private struct ShapeElements: UnkeyedDecodingContainer {
  let note: ShapeNote
  var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var count: Int? { nil }
  /// One element shows the shape of all.
  var isAtEnd: Bool { currentIndex > 0 }

  init(note: ShapeNote) { self.note = note }

  private mutating func element<T>(_ read: (ShapeReader) throws -> T) rethrows -> T {
    currentIndex += 1
    let inner = ShapeNote()
    let value = try read(ShapeReader(note: inner))
    inner.close()
    note.shape = .list(inner.shape)
    return value
  }

  func decodeNil() -> Bool { false }
  mutating func decode(_ type: Bool.Type) -> Bool { element { $0.decode(type) } }
  mutating func decode(_ type: String.Type) -> String { element { $0.decode(type) } }
  mutating func decode(_ type: Double.Type) -> Double { element { $0.decode(type) } }
  mutating func decode(_ type: Float.Type) -> Float { element { $0.decode(type) } }
  mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) -> T { element { $0.decode(type) } }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try element { try $0.decode(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedDecodingContainer<Nested> {
    element { $0.container(keyedBy: type) }
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { element { $0.unkeyedContainer() } }
  mutating func superDecoder() -> any Decoder { element { $0 } }
}

extension Shape {
  /// The shape as JSON Schema.
  var schema: JSONValue {
    switch self {
    case .integer: Self.typed("integer")
    case .number: Self.typed("number")
    case .text: Self.typed("string")
    case .boolean: Self.typed("boolean")
    case .choice(let words):
      .object([
        JSONMember(key: "type", value: .string("string")),
        JSONMember(key: "enum", value: .array(words.map(JSONValue.string))),
      ])
    case .list(let element):
      .object([
        JSONMember(key: "type", value: .string("array")), JSONMember(key: "items", value: element.schema),
      ])
    case .texts:
      .object([
        JSONMember(key: "type", value: .string("object")),
        JSONMember(key: "additionalProperties", value: Self.typed("string")),
      ])
    case .object(let members):
      .object([
        JSONMember(key: "type", value: .string("object")),
        JSONMember(
          key: "properties", value: .object(members.map { JSONMember(key: $0.name, value: $0.shape.schema) })),
        JSONMember(
          key: "required", value: .array(members.filter { !$0.isOptional }.map { .string($0.name) })),
      ])
    }
  }

  private static func typed(_ type: String) -> JSONValue {
    .object([JSONMember(key: "type", value: .string(type))])
  }
}
