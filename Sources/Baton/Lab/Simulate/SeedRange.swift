import DaemonRuntime

/// A range of seeds as typed: `1..1000`, or one seed.
struct SeedRange: Hashable, Sendable {
  var first: UInt64
  var last: UInt64

  init?(_ text: String) {
    let parts = text.split(separator: "..", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = UInt64(parts[0]), let last = UInt64(parts[parts.count - 1]),
      first <= last,
      last < .max, last - first < 1 << 40
    else { return nil }
    self.first = first
    self.last = last
  }

  init(_ first: UInt64, _ last: UInt64) {
    self.first = first
    self.last = last
  }

  /// The argument of `--seeds`.
  init(typed text: String) throws(CommandFailure) {
    guard let range = SeedRange(text) else {
      throw CommandFailure(
        .wrongUsage, "--seeds must be a number or an ascending range such as 1..1000")
    }
    guard text != "0" else {
      throw CommandFailure(
        .wrongUsage, "--seeds names seeds and not how many: write 0..0 for seed 0, or 1..1000 for a thousand")
    }
    self = range
  }

  /// The argument of `--seed`: any seed that `sim` can run.
  static func seed(typed text: String) throws(CommandFailure) -> UInt64 {
    guard let seed = UInt64(text), seed < .max else {
      throw CommandFailure(
        .wrongUsage,
        "--seed must be a whole number from 0 to \(UInt64.max - 1), not \(UsageError.quoted(text))")
    }
    return seed
  }

  func contains(_ seed: UInt64) -> Bool { first <= seed && seed <= last }

  /// The range as typed.
  var words: String { first == last ? "\(first)" : "\(first)..\(last)" }

  var count: UInt64 { last - first + 1 }
}
