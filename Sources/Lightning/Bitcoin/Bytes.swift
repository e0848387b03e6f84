import Ground

/// Any number of bytes, in JSON one hexadecimal string instead of a list of numbers.
public struct Bytes: Hashable, Sendable {
  public var array: [UInt8]

  public init(_ array: [UInt8] = []) { self.array = array }

  public init(repeating byte: UInt8, count: Int) { array = [UInt8](repeating: byte, count: count) }

  public var count: Int { array.count }
  public var hex: String { Hexadecimal.encode(array) }
}

extension Bytes: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: UInt8...) { array = elements }
}

extension Bytes: CustomStringConvertible {
  public var description: String { hex }
}

extension Bytes: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let decoded = Hexadecimal.decode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "these are not bytes in hexadecimal: write two digits for each byte")
    }
    array = decoded
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}
