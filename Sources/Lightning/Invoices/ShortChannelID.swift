/// A channel's place in the chain: block, transaction, output. An alias is a number of the same form without a
/// place.
public struct ShortChannelID: Hashable, Sendable, CustomStringConvertible {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }

  /// `589390x3312x1`.
  public var description: String {
    "\(number >> 40)x\(number >> 16 & 0xff_ffff)x\(number & 0xffff)"
  }
}
