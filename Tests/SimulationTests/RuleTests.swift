import Ground
import Testing

@testable import Simulation

/// Without a rule the checks must find a violation; otherwise their silence with all rules would prove nothing.
@Suite("Without a rule") struct RuleTests {
  private static let length = TimeSpan.seconds(200)

  private func firstFailure(
    without rules: [Rule], legacy: Bool = false, length: TimeSpan = Self.length,
    seeds: ClosedRange<UInt64> = 1...1000
  ) -> RunResult? {
    for seed in seeds {
      var settings = RunSettings(seed: seed)
      settings.world.without = Rules(rules)
      settings.world.peerIsLegacy = legacy
      settings.length = length
      var run = SeedRun(settings)
      let result = run.run()
      if result.violation != nil { return result }
    }
    return nil
  }

  @Test func `Without the release order a healthy owner is displaced`() {
    #expect(firstFailure(without: [.releaseOrder])?.violation?.invariant == .healthyOwnerStays)
  }

  @Test
  func `Without init-check and state-from-claim two processes use the node at once`() {
    #expect(firstFailure(without: [.initCheck, .stateFromClaim])?.violation?.invariant == .oneDriver)
  }

  @Test func `Without the wait for all parts a preimage is released for one part`() {
    let violation = firstFailure(without: [.completeSet])?.violation
    #expect(violation?.invariant == .paidIsReceivedOnce)
    #expect(violation?.sentence == "The preimage leaves before all parts of its payment have arrived.")
  }

  @Test
  func `A broken run shrinks to at most 6 actions and faults that break the same invariant`() throws {
    let failure = try #require(firstFailure(without: [.initCheck, .stateFromClaim]))
    let violation = try #require(failure.violation)
    var settings = RunSettings(seed: failure.seed)
    settings.world.without = Rules([.initCheck, .stateFromClaim])
    settings.length = Self.length
    var shrinker = Shrinker(settings, breaking: violation.invariant)
    let short = shrinker.shrink()
    #expect((short.only?.count ?? 1000) <= 6)
    var again = SeedRun(short)
    #expect(again.run().violation?.invariant == violation.invariant)
  }

  @Test func `The names of the rules are distinct, and rules can be combined`() {
    #expect(Set(Rule.allCases.map(\.rawValue)).count == Rule.allCases.count)
    #expect(Rules(Rule.allCases).list == Rule.allCases)
    #expect(Rules([.lock, .incarnation]).list == [.lock, .incarnation])
  }
}
