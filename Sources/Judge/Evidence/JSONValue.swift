/// A JSON value with its numbers as they were written: journals hold 64-bit numbers that no `Double` can.
indirect enum JSONValue: Hashable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  subscript(_ key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The payload of a synthesised enum case with one unlabelled value.
  func payload(_ name: String) -> JSONValue? { self[name]?["_0"] }

  var items: [JSONValue] {
    guard case .array(let items) = self else { return [] }
    return items
  }

  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  var isTrue: Bool { self == .bool(true) }

  /// Unsigned numbers above `Int64.max` come back as their bit pattern, as the databases store them.
  var integer: Int64? {
    guard case .number(let digits) = self else { return nil }
    return Int64(digits) ?? UInt64(digits).map { Int64(bitPattern: $0) }
  }
}

extension JSONValue {
  /// What is written as two numbers.
  var sixteenBytes: [UInt8]? {
    guard let high = self["high"]?.integer, let low = self["low"]?.integer else { return nil }
    return [high, low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
    }
  }
}

struct JSONMember: Hashable {
  let key: String
  let value: JSONValue
}
