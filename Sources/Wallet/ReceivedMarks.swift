import Guardrails

/// Which payment was the newest when each push came that names none: what is newer came since that push.
struct ReceivedMarks: Hashable, Sendable {
  /// Of pushes that are not finished; without a mark until the container was read.
  private var newest: [UInt64: Int64?] = [:]

  /// Whether it needs a mark.
  mutating func begin(_ push: Push) -> Bool {
    guard push.paymentHash == nil, push.reason != .unreadable, newest[push.id] == nil else { return false }
    newest[push.id] = .some(nil)
    return true
  }

  /// The first one counts.
  mutating func set(_ number: Int64, for push: UInt64) {
    if case .some(nil) = newest[push] { newest[push] = number }
  }

  mutating func end(_ push: UInt64) { newest[push] = nil }

  subscript(_ push: UInt64) -> Int64? { newest[push] ?? nil }
}
