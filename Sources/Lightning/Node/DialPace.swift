import Ground

/// How patiently, and how soon again, a node dials that has not got through.
struct DialPace: Hashable, Sendable {
  /// A phone in front is not to dial for ever at the pace of one who expects an answer.
  static let pauses: [TimeSpan] = [
    100, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000,
  ].map { .milliseconds($0) }
  /// Was for a phone that nobody looks at.
  static let longPause = TimeSpan.seconds(8)
  private static let dialBounds: [TimeSpan] = [1, 2, 4, 7, 10].map { .seconds($0) }
  private static let initBounds: [TimeSpan] = [2, 4, 7, 10, 15].map { .seconds($0) }

  /// Over Tor each takes longer.
  private let boundFactor: Int64
  /// Those before this one that led nowhere.
  private(set) var attempt = 0

  init(overTor: Bool) { boundFactor = overTor ? 3 : 1 }

  var dialBound: TimeSpan { bound(Self.dialBounds) }
  var initBound: TimeSpan { bound(Self.initBounds) }

  private func bound(_ bounds: [TimeSpan]) -> TimeSpan {
    TimeSpan(nanoseconds: bounds[min(attempt, bounds.count - 1)].nanoseconds * boundFactor)
  }

  mutating func startAnew() { attempt = 0 }

  /// Long pauses differ by up to a quarter from wallet to wallet and from dial to dial, so that not all come back to a
  /// restarted peer at once. The chance is that of the claim's incarnation, which is drawn.
  mutating func pause(_ incarnation: UInt64?) -> TimeSpan {
    defer { attempt += 1 }
    let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
    guard pause > Self.longPause, let incarnation else { return pause }
    var mixed = (incarnation &+ UInt64(attempt)) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return TimeSpan(nanoseconds: pause.nanoseconds + pause.nanoseconds / 4096 * Int64(mixed >> 54))
  }

  /// Further attempts wait no longer than this one.
  mutating func forgetLongAgo() { attempt = min(attempt, Self.pauses.count) }
}
