/// Why bytes from the other side are no message.
public enum WireError: Error, Hashable, Codable, Sendable {
  /// The message ends in the middle of a field.
  case truncated
  /// A number is written with more bytes than it needs.
  case numberNotMinimal
  /// The types of a stream of records do not grow.
  case recordsNotIncreasing
  /// A record whose type is even must be understood, and this one is not.
  case unknownEvenRecord(UInt64)
  /// A record that is understood has a length or content it cannot have.
  case malformedRecord(UInt64)
  /// A field has a value that it cannot have.
  case impossibleValue
  /// A message whose type is even must be understood, and this one is not.
  case unknownEvenMessage(UInt16)
  /// Bytes follow where the layout ends.
  case trailingBytes
  /// A message is longer than 65535 bytes.
  case tooLong
}

extension WireError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated: "the message ends in the middle of a field: send it whole"
    case .numberNotMinimal: "a number is written longer than it needs: use its shortest form"
    case .recordsNotIncreasing: "the record types do not grow: send each type once, in growing order"
    case .unknownEvenRecord(let type):
      "the record type \(type) is even and not known here: leave it out, or use an odd type"
    case .malformedRecord(let type): "the record of type \(type) is malformed: check its length and content"
    case .impossibleValue: "a field has a value that it cannot have: use one that BOLT 2 names"
    case .unknownEvenMessage(let type):
      "the message type \(type) is even and not known here: leave it out, or use an odd type"
    case .trailingBytes: "bytes follow the end of the message: leave them out"
    case .tooLong: "the message is longer than 65535 bytes: send less"
    }
  }
}
