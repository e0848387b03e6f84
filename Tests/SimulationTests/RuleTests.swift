import Ground
import Testing

@testable import Simulation

/// Takes a rule away: the checks must see it. What they say of the whole set of rules is worth no more than this.
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

  @Test("the order of the release, an owner that is still there is displaced") func releaseOrder() {
    #expect(firstFailure(without: [.releaseOrder])?.violation?.invariant == .healthyOwnerStays)
  }

  @Test("the look after the init and the state of the claim, the peer acts on what was never durable")
  func cachedState() {
    #expect(firstFailure(without: [.initCheck, .stateFromClaim])?.violation?.invariant == .oneDriver)
  }

  @Test("the wait for all parts, a preimage leaves for one of them") func completeSet() {
    let violation = firstFailure(without: [.completeSet])?.violation
    #expect(violation?.invariant == .paidIsReceivedOnce)
    #expect(violation?.sentence == "The preimage leaves before all parts of its payment have arrived.")
  }

  @Test("A failure is made short: a few deeds of many are left, and they break the same promise")
  func shrinking() throws {
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

  @Test("The names of the rules are distinct and can be taken together") func names() {
    #expect(Set(Rule.allCases.map(\.rawValue)).count == Rule.allCases.count)
    #expect(Rules(Rule.allCases).list == Rule.allCases)
    #expect(Rules([.lock, .incarnation]).list == [.lock, .incarnation])
  }
}
