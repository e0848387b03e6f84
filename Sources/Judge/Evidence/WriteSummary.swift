/// The summary of one fenced write in its row: `revision=7 received=1`.
struct WriteSummary {
  var revision: Int64?
  var received: Int64 = 0
  var invoices = 0
  var cancelled = 0
  var offered: Int64 = 0
  var ended: Int64 = 0
  var isRestored = false

  /// Nil if it is not a summary.
  init?(_ text: String) {
    for part in text.split(separator: " ", omittingEmptySubsequences: false) where !text.isEmpty {
      guard let (name, number) = Self.read(part), note(name, number) else { return nil }
    }
  }

  private static func read(_ part: Substring) -> (name: Substring, number: Int64)? {
    let sides = part.split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, let number = Int64(sides[1]) else { return nil }
    return (sides[0], number)
  }

  private mutating func note(_ name: Substring, _ number: Int64) -> Bool {
    guard Self.numbers[name]?.contains(number) == true else { return false }
    switch name {
    case "revision": revision = number
    case "received": received = number
    case "offered": offered = number
    case "ended": ended = number
    case "invoice": invoices = 1
    case "cancelled": cancelled = 1
    case "restored": isRestored = true
    // `waiting` is compared with nothing; a failure is in the peer's frames.
    default: break
    }
    return true
  }

  private static let numbers: [Substring: ClosedRange<Int64>] = [
    "revision": 0...(.max), "received": 0...(.max), "offered": 1...1000, "ended": 1...1000,
    "waiting": 0...1000,
    "invoice": 1...1, "cancelled": 1...1, "restored": 1...1, "failed": 1...1,
  ]
}
