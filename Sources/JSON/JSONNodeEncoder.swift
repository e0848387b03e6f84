/// The `Encoder` of `JSONLineEncoder`, and its single-value container, which the two other containers use.
struct JSONNodeEncoder: Encoder, SingleValueEncodingContainer {
  let node: JSONNode
  let path: JSONPath
  let names: JSONNames
  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedWriter<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = node.content {} else { node.content = .array([]) }
    return JSONListWriter(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  // MARK: Single value

  func encodeNil() { node.content = .raw("null") }
  func encode(_ value: Bool) { node.content = .raw(value ? "true" : "false") }
  func encode(_ value: String) { node.content = .string(value) }
  func encode(_ value: Double) throws { try encodeFraction(value) }
  func encode(_ value: Float) throws { try encodeFraction(value) }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T) { node.content = .raw(value.description) }
  func encode<T: Encodable>(_ value: T) throws { try value.encode(to: self) }

  private func encodeFraction(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard value.isFinite else {
      throw JSONEncodingError.notANumber(path: codingPath.map(\.stringValue).joined(separator: "."))
    }
    // A whole number is written without ".0", so each number has one spelling.
    let text = value.description
    node.content = .raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONNodeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func node(_ key: any CodingKey) -> JSONNode {
    encoder.node.child(named: encoder.names.name(key.stringValue))
  }

  private func inner(_ key: any CodingKey) -> JSONNodeEncoder {
    JSONNodeEncoder(node: node(key), path: .member(key, of: encoder.path), names: encoder.names)
  }

  func encodeNil(forKey key: Key) { inner(key).encodeNil() }
  func encode(_ item: Bool, forKey key: Key) { inner(key).encode(item) }
  func encode(_ item: String, forKey key: Key) { node(key).content = .string(item) }
  func encode(_ item: Double, forKey key: Key) throws { try inner(key).encode(item) }
  func encode(_ item: Float, forKey key: Key) throws { try inner(key).encode(item) }
  func encode<T: FixedWidthInteger & Encodable>(_ item: T, forKey key: Key) {
    node(key).content = .raw(item.description)
  }
  func encode<T: Encodable>(_ item: T, forKey key: Key) throws { try inner(key).encode(item) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    inner(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    inner(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { inner(SuperKey()) }
  func superEncoder(forKey key: Key) -> any Encoder { inner(key) }
}

struct JSONListWriter: UnkeyedEncodingContainer {
  let encoder: JSONNodeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.elementCount }

  private func next() -> JSONNodeEncoder {
    JSONNodeEncoder(node: encoder.node.appendedElement(), path: encoder.path, names: encoder.names)
  }

  func encodeNil() { next().encodeNil() }
  func encode(_ item: Bool) { next().encode(item) }
  func encode(_ item: String) { next().encode(item) }
  func encode(_ item: Double) throws { try next().encode(item) }
  func encode(_ item: Float) throws { try next().encode(item) }
  func encode<T: FixedWidthInteger & Encodable>(_ item: T) { next().encode(item) }
  func encode<T: Encodable>(_ item: T) throws { try next().encode(item) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }
}
