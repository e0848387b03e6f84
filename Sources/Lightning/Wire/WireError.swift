/// Why bytes from the other side are not a valid message.
public enum WireError: Error, Hashable, Codable, Sendable {
  /// The message ends in the middle of a field.
  case truncated
  /// A number has more bytes than it needs.
  case numberNotMinimal
  /// The record types do not increase.
  case recordsNotIncreasing
  /// A record of an even type is required, and this type is unknown.
  case unknownEvenRecord(UInt64)
  /// A known record has an invalid length or content.
  case malformedRecord(UInt64)
  /// A field has an invalid value.
  case impossibleValue
  /// A message of an even type is required, and this type is unknown.
  case unknownEvenMessage(UInt16)
  /// Bytes after the end of the layout.
  case trailingBytes
  /// More than 65535 bytes.
  case tooLong
}

extension WireError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated: "the message ends in the middle of a field: send it whole"
    case .numberNotMinimal: "a number is longer than needed: use its shortest form"
    case .recordsNotIncreasing: "the record types do not increase: send each type once, in ascending order"
    case .unknownEvenRecord(let type): "record type \(type) is even and unknown: omit it, or use an odd type"
    case .malformedRecord(let type): "record type \(type) is malformed: check its length and content"
    case .impossibleValue: "a field has an invalid value: use one that BOLT 2 allows"
    case .unknownEvenMessage(let type):
      "message type \(type) is even and unknown: omit it, or use an odd type"
    case .trailingBytes: "there are bytes after the end of the message: omit them"
    case .tooLong: "the message is longer than 65535 bytes: send less"
    }
  }
}
