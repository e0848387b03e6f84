/// A user's order: the LSP fails the next payments with one code, so that senders meet each of BOLT 4's failures. When
/// all are used up the LSP is as before.
public struct OrderedFailures: Hashable, Codable, Sendable {
  /// More than any test or story needs.
  public static let limit: UInt64 = 1_000_000

  public let code: UInt16
  public private(set) var left: UInt64

  public init(code: UInt16, times: UInt64) {
    self.code = code
    left = min(times, Self.limit)
  }

  /// The order without its next failure; nil when it is used up.
  var afterOne: OrderedFailures? { left > 1 ? OrderedFailures(code: code, times: left - 1) : nil }
}
