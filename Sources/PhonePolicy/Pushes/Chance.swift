import Ground

/// What a phone leaves to chance. It is part of the core's state, so that a journal that is run again has the same chances.
struct Chance: Hashable, Codable, Sendable {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// From 0 to the bound, which is among them.
  mutating func number(upTo bound: UInt64) -> UInt64 {
    let drawn = generator.next()
    return bound == .max ? drawn : drawn % (bound + 1)
  }
}
