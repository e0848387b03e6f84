import Guardrails

/// The newest payment at the arrival of each push without a payment hash: newer payments came since that push.
struct ReceivedMarks: Hashable, Sendable {
  /// For pushes that are not finished; an unread mark is nil.
  private var newest: [UInt64: Int64?] = [:]

  /// Whether this push needs a mark.
  mutating func begin(_ push: Push) -> Bool {
    guard push.paymentHash == nil, push.reason != .unreadable, newest[push.id] == nil else { return false }
    newest[push.id] = .some(nil)
    return true
  }

  /// Only the first mark counts.
  mutating func set(_ number: Int64, for push: UInt64) {
    if case .some(nil) = newest[push] { newest[push] = number }
  }

  mutating func end(_ push: UInt64) { newest[push] = nil }

  subscript(_ push: UInt64) -> Int64? { newest[push] ?? nil }
}
