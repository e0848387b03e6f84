import Ground

/// The phone's random decisions. Part of the core's state, so a replayed journal draws the same numbers.
struct Chance: Hashable, Codable, Sendable {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// From 0 to the bound, inclusive.
  mutating func number(upTo bound: UInt64) -> UInt64 {
    let drawn = generator.next()
    return bound == .max ? drawn : drawn % (bound + 1)
  }
}
