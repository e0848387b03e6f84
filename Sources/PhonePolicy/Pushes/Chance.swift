/// A small generator of numbers that are even enough (SplitMix64). It is part of a core's state, so that a journal
/// that is run again has the same chances.
struct Chance: Hashable, Codable, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// From 0 to the bound, which is among them.
  mutating func number(upTo bound: UInt64) -> UInt64 {
    let drawn = next()
    return bound == .max ? drawn : drawn % (bound + 1)
  }
}
