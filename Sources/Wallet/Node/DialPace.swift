import Ground

/// The time limits of a dial and the pause before the next, by the number of failed attempts.
struct DialPace: Hashable, Sendable {
  /// They grow, so that an app in front does not dial an unreachable peer in short intervals for ever.
  static let pauses: [TimeSpan] = [
    100, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000,
  ].map { .milliseconds($0) }
  /// A longer pause has jitter, and is ended by a push.
  static let longPause = TimeSpan.seconds(8)
  private static let dialBounds: [TimeSpan] = [1, 2, 4, 7, 10].map { .seconds($0) }
  private static let initBounds: [TimeSpan] = [2, 4, 7, 10, 15].map { .seconds($0) }

  /// 3 over Tor.
  private let boundFactor: Int64
  /// The number of failed attempts.
  private(set) var attempt = 0

  init(overTor: Bool) { boundFactor = overTor ? 3 : 1 }

  var dialBound: TimeSpan { bound(Self.dialBounds) }
  var initBound: TimeSpan { bound(Self.initBounds) }

  private func bound(_ bounds: [TimeSpan]) -> TimeSpan {
    TimeSpan(nanoseconds: bounds[min(attempt, bounds.count - 1)].nanoseconds * boundFactor)
  }

  mutating func startAnew() { attempt = 0 }

  /// Long pauses have up to a quarter of jitter, so that the wallets of a restarted peer do not all dial at once.
  /// The jitter comes from the claim's incarnation, which is random.
  mutating func pause(_ incarnation: UInt64?) -> TimeSpan {
    defer { attempt += 1 }
    let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
    guard pause > Self.longPause, let incarnation else { return pause }
    var mixed = (incarnation &+ UInt64(attempt)) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return TimeSpan(nanoseconds: pause.nanoseconds + pause.nanoseconds / 4096 * Int64(mixed >> 54))
  }

  /// Attempts beyond the last pause are equal, so the count stops there.
  mutating func forgetLongAgo() { attempt = min(attempt, Self.pauses.count) }
}
