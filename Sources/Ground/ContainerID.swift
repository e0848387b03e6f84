/// One container; a copy that was restored elsewhere keeps the id of its original.
public struct ContainerID: Hashable, Codable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
