/// Identifies a container; a restored copy keeps the id of its original.
public struct ContainerID: Hashable, Codable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Nil unless there are exactly 16 bytes, the high half first.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    func word(_ half: some Sequence<UInt8>) -> UInt64 { half.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(bytes.prefix(8)), low: word(bytes.dropFirst(8)))
  }

  /// Sixteen bytes, the high half first.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }
}
