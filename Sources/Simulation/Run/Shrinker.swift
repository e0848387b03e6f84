/// Shortens a failure: drops agenda entries piece by piece while the same invariant is still violated in some order
/// of moves.
public struct Shrinker {
  private let ordersTried: UInt64 = 24
  public private(set) var settings: RunSettings
  private let invariant: Invariant
  /// Number of runs made.
  public private(set) var runs = 0

  public init(_ settings: RunSettings, breaking invariant: Invariant) {
    self.settings = settings
    self.invariant = invariant
  }

  /// The settings of the shortest failure that was found.
  public mutating func shrink() -> RunSettings {
    var kept =
      settings.only
      ?? Agenda(
        seed: settings.seed, length: settings.length, splices: settings.world.splices
      ).entries.map(\.number)
    var size = max(1, kept.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < kept.count {
        let without = Array(kept[..<start] + kept[min(start + size, kept.count)...])
        if stillBreaks(without) {
          kept = without
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasShrunk { break }
      size = max(1, size / 2)
    }
    return settings
  }

  private mutating func stillBreaks(_ only: [Int]) -> Bool {
    var candidate = settings
    candidate.only = only
    for order in 0..<ordersTried {
      candidate.order = order
      runs += 1
      var run = SeedRun(candidate)
      if run.run().violation?.invariant == invariant {
        settings = candidate
        return true
      }
    }
    return false
  }
}
