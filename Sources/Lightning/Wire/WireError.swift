/// Why bytes from the other side are not a valid message.
public struct WireError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  public static let truncated = Self("the message ends in the middle of a field: send it whole")
  public static let numberNotMinimal = Self("a number is longer than needed: use its shortest form")
  public static let recordsNotIncreasing = Self(
    "the record types do not increase: send each type once, in ascending order")
  public static func unknownEvenRecord(_ type: UInt64) -> Self {
    Self("record type \(type) is even and unknown: omit it, or use an odd type")
  }
  public static func malformedRecord(_ type: UInt64) -> Self {
    Self("record type \(type) is malformed: check its length and content")
  }
  public static let impossibleValue = Self("a field has an invalid value: use one that BOLT 2 allows")
  public static func unknownEvenMessage(_ type: UInt16) -> Self {
    Self("message type \(type) is even and unknown: omit it, or use an odd type")
  }
  public static let trailingBytes = Self("there are bytes after the end of the message: omit them")
  public static let tooLong = Self("the message is longer than 65535 bytes: send less")
}
