/// The `Encoder` of `JSONLineEncoder`, and its single-value container, which the two other containers use. Its value is
/// in as many containers as `depth` says.
struct JSONValueWriter: Encoder, SingleValueEncodingContainer {
  let output: JSONOutput
  let depth: Int
  let names: JSONNames
  var codingPath: [any CodingKey] { output.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.container(UInt8(ascii: "{"), UInt8(ascii: "}"), atDepth: depth)
    return KeyedEncodingContainer(JSONKeyedWriter<Key>(output: output, depth: depth + 1, names: names))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    output.container(UInt8(ascii: "["), UInt8(ascii: "]"), atDepth: depth)
    return JSONListWriter(output: output, depth: depth + 1, names: names)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  // MARK: Single value

  func encodeNil() { output.raw("null") }
  func encode(_ value: Bool) { output.raw(value ? "true" : "false") }
  func encode(_ value: String) { output.string(value) }
  func encode(_ value: Double) throws { try encodeFraction(value) }
  func encode(_ value: Float) throws { try encodeFraction(value) }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T) { output.raw(value.description) }
  func encode<T: Encodable>(_ value: T) throws { try value.encode(to: self) }

  private func encodeFraction(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard value.isFinite else {
      throw JSONEncodingError.notANumber(path: codingPath.map(\.stringValue).joined(separator: "."))
    }
    // A whole number is written without ".0", so each number has one spelling.
    let text = value.description
    output.raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: JSONOutput
  let depth: Int
  let names: JSONNames
  var codingPath: [any CodingKey] { output.path }

  private func member(_ key: any CodingKey) -> JSONValueWriter {
    output.member(key, names.name(key.stringValue), atDepth: depth)
    return JSONValueWriter(output: output, depth: depth, names: names)
  }

  func encodeNil(forKey key: Key) { member(key).encodeNil() }
  func encode(_ item: Bool, forKey key: Key) { member(key).encode(item) }
  func encode(_ item: String, forKey key: Key) { member(key).encode(item) }
  func encode(_ item: Double, forKey key: Key) throws { try member(key).encode(item) }
  func encode(_ item: Float, forKey key: Key) throws { try member(key).encode(item) }
  func encode<T: FixedWidthInteger & Encodable>(_ item: T, forKey key: Key) { member(key).encode(item) }
  func encode<T: Encodable>(_ item: T, forKey key: Key) throws { try member(key).encode(item) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    member(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { member(SuperKey()) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

struct JSONListWriter: UnkeyedEncodingContainer {
  let output: JSONOutput
  let depth: Int
  let names: JSONNames
  var codingPath: [any CodingKey] { output.path }
  var count: Int { output.count(atDepth: depth) }

  private func next() -> JSONValueWriter {
    output.element(atDepth: depth)
    return JSONValueWriter(output: output, depth: depth, names: names)
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

/// How property names are written in JSON.
public enum JSONNames: Sendable {
  /// In journals: as declared.
  case asDeclared
  /// In rows and reports: `amountMsat` is `amount_msat`, and `isVisible` or `hasCrashed` loses its verb.
  case snakeCase

  public func name(_ declared: String) -> String { self == .asDeclared ? declared : Self.snake(declared) }

  private static func snake(_ declared: String) -> String {
    var letters = Array(declared.utf8)
    let verb = ["is", "has", "was"].first { declared.hasPrefix($0) }?.utf8.count ?? 0
    if verb < letters.count, isCapital(letters[verb]) { letters.removeFirst(verb) }
    var written: [UInt8] = []
    for (index, letter) in letters.enumerated() {
      guard isCapital(letter) else {
        written.append(letter)
        continue
      }
      if index > 0, !isCapital(letters[index - 1]), letters[index - 1] != UInt8(ascii: "_") {
        written.append(UInt8(ascii: "_"))
      }
      written.append(letter | 0x20)
    }
    return String(decoding: written, as: UTF8.self)
  }

  private static func isCapital(_ letter: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
  }
}
