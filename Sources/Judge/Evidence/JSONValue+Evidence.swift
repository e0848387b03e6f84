import JSON

// Accessors for journal lines and rows.
extension JSONValue {
  /// The payload of a synthesised enum case with one unlabelled value.
  func payload(_ name: String) -> JSONValue? { self[name]?["_0"] }

  var items: [JSONValue] { elements ?? [] }
  var isTrue: Bool { flag == true }

  /// Unsigned numbers above `Int64.max` come back as their bit pattern, as the databases store them.
  var integer: Int64? { int ?? uint.map { Int64(bitPattern: $0) } }

  /// 16 bytes written as two numbers.
  var sixteenBytes: [UInt8]? {
    guard let high = self["high"]?.integer, let low = self["low"]?.integer else { return nil }
    return [high, low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
    }
  }
}
