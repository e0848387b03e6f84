import CoreShape

/// The scheduler's only source of chance: the same seed draws the same, so that a journal can be run again.
struct TaskLottery: Hashable, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From zero up to the bound, without it.
  mutating func span(below bound: Span) -> Span {
    guard bound > .zero else { return .zero }
    return Span(nanoseconds: Int64(next() % UInt64(bound.nanoseconds)))
  }

  mutating func chance(percent: Int) -> Bool { Int(next() % 100) < percent }
}
