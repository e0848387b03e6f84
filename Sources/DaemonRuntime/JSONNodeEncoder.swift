/// The `Encoder` behind `JSONLineEncoder`: each container fills its node.
struct JSONNodeEncoder: Encoder {
  let node: JSONNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedContainer<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = node.content {} else { node.content = .array([]) }
    return JSONListContainer(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    JSONValueContainer(node: node, codingPath: codingPath)
  }
}

/// Writes one value into a node; the two other containers hand their values to it.
struct JSONValueContainer: SingleValueEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]

  func encodeNil() { node.content = .raw("null") }
  func encode(_ value: Bool) { node.content = .raw(value ? "true" : "false") }
  func encode(_ value: String) { node.content = .string(value) }
  func encode(_ value: Double) throws { try encodeFloating(value) }
  func encode(_ value: Float) throws { try encodeFloating(value) }
  func encode(_ value: Int) { encodeInteger(value) }
  func encode(_ value: Int8) { encodeInteger(value) }
  func encode(_ value: Int16) { encodeInteger(value) }
  func encode(_ value: Int32) { encodeInteger(value) }
  func encode(_ value: Int64) { encodeInteger(value) }
  func encode(_ value: UInt) { encodeInteger(value) }
  func encode(_ value: UInt8) { encodeInteger(value) }
  func encode(_ value: UInt16) { encodeInteger(value) }
  func encode(_ value: UInt32) { encodeInteger(value) }
  func encode(_ value: UInt64) { encodeInteger(value) }

  func encode<T: Encodable>(_ value: T) throws {
    try value.encode(to: JSONNodeEncoder(node: node, codingPath: codingPath))
  }

  private func encodeInteger(_ value: some BinaryInteger) { node.content = .raw(value.description) }

  private func encodeFloating(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard value.isFinite else {
      throw JSONEncodingError.notANumber(path: codingPath.map(\.stringValue).joined(separator: "."))
    }
    // A whole number has no ".0": it comes back as the same number either way, and one spelling is enough.
    let text = value.description
    node.content = .raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  let codingPath: [any CodingKey]

  private func value(_ key: any CodingKey) -> JSONValueContainer {
    JSONValueContainer(node: node.child(named: key.stringValue), codingPath: codingPath + [key])
  }

  private func encoder(_ key: any CodingKey) -> JSONNodeEncoder {
    JSONNodeEncoder(node: node.child(named: key.stringValue), codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { value(key).encodeNil() }
  func encode(_ item: Bool, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: String, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: Double, forKey key: Key) throws { try value(key).encode(item) }
  func encode(_ item: Float, forKey key: Key) throws { try value(key).encode(item) }
  func encode(_ item: Int, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: Int8, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: Int16, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: Int32, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: Int64, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: UInt, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: UInt8, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: UInt16, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: UInt32, forKey key: Key) { value(key).encode(item) }
  func encode(_ item: UInt64, forKey key: Key) { value(key).encode(item) }
  func encode<T: Encodable>(_ item: T, forKey key: Key) throws { try value(key).encode(item) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoder(SuperKey()) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) {}
  init?(intValue: Int) { nil }
}

struct JSONListContainer: UnkeyedEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]
  var count: Int { node.elementCount }

  private func value() -> JSONValueContainer {
    JSONValueContainer(node: node.appendedElement(), codingPath: codingPath)
  }

  private func encoder() -> JSONNodeEncoder {
    JSONNodeEncoder(node: node.appendedElement(), codingPath: codingPath)
  }

  func encodeNil() { value().encodeNil() }
  func encode(_ item: Bool) { value().encode(item) }
  func encode(_ item: String) { value().encode(item) }
  func encode(_ item: Double) throws { try value().encode(item) }
  func encode(_ item: Float) throws { try value().encode(item) }
  func encode(_ item: Int) { value().encode(item) }
  func encode(_ item: Int8) { value().encode(item) }
  func encode(_ item: Int16) { value().encode(item) }
  func encode(_ item: Int32) { value().encode(item) }
  func encode(_ item: Int64) { value().encode(item) }
  func encode(_ item: UInt) { value().encode(item) }
  func encode(_ item: UInt8) { value().encode(item) }
  func encode(_ item: UInt16) { value().encode(item) }
  func encode(_ item: UInt32) { value().encode(item) }
  func encode(_ item: UInt64) { value().encode(item) }
  func encode<T: Encodable>(_ item: T) throws { try value().encode(item) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder() }
}
