/// SplitMix64: evenly distributed numbers from a seed alone. The same seed gives the same run of a simulation or test,
/// on any machine and in any build.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Codable, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0 up to, but excluding, the bound; the upper half of a product, so that no bound is noticeably biased.
  package mutating func below(_ bound: Int) -> Int {
    bound <= 1 ? 0 : Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// True with a chance of one in `count`.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
