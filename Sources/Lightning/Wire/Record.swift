/// One type-length-value record at the end of a message.
public struct Record: Hashable, Codable, Sendable {
  public let type: UInt64
  public let value: Bytes

  public init(type: UInt64, value: Bytes) {
    self.type = type
    self.value = value
  }
}
