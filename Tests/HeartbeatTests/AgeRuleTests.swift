import Ground
import Testing

@testable import Heartbeat

/// `--takeover wait-stale`: within one boot, fresh below 5.000 s.
@Suite struct AgeRuleTests {
  var rule = AgeRule(timing: .standard)

  private mutating func judge(_ beat: Beat?, at now: Instant) -> AgeRule.Verdict {
    rule.judge(beat, ofEpoch: 7, boot: thisBoot, bootClock: now)
  }

  @Test mutating func theEdgesAreExact() {
    let stamped = beat(counter: 1, stamp: seconds(100))
    #expect(judge(stamped, at: seconds(100)) == .fresh(remaining: .seconds(5)))
    #expect(judge(stamped, at: seconds(104.999)) == .fresh(remaining: .milliseconds(1)))
    #expect(
      judge(stamped, at: Instant(nanoseconds: 104_999_999_999)) == .fresh(remaining: TimeSpan(nanoseconds: 1))
    )
    #expect(judge(stamped, at: seconds(105)) == .stale)
  }

  @Test mutating func oneThatComesLateSeesTheSameEdge() {
    #expect(judge(beat(counter: 1, stamp: seconds(100)), at: seconds(105)) == .stale)
  }

  @Test mutating func anotherBootIsStaleAtOnce() {
    #expect(judge(beat(counter: 1, stamp: seconds(100), boot: otherBoot), at: seconds(100)) == .stale)
  }

  @Test mutating func noBeatAForeignEpochAndAReleaseAreStaleAtOnce() {
    #expect(judge(nil, at: seconds(100)) == .stale)
    #expect(judge(beat(epoch: 6, counter: 1, stamp: seconds(100)), at: seconds(100)) == .stale)
    #expect(judge(beat(counter: 1, phase: .released, stamp: seconds(100)), at: seconds(100)) == .stale)
  }

  @Test mutating func aStampFromTheFutureIsNeverFreshForLongerThanTheRule() {
    let future = beat(counter: 1, stamp: seconds(3700))
    #expect(judge(future, at: seconds(100)) == .fresh(remaining: .seconds(5)))
    #expect(judge(future, at: seconds(104.999)) == .fresh(remaining: .milliseconds(1)))
    #expect(judge(future, at: seconds(105)) == .stale)
  }

  @Test mutating func aHolderWhoseClockIsAheadStaysFreshWhileItBeats() {
    for second in 0..<20 {
      let now = seconds(Double(100 + second))
      let ahead = beat(counter: UInt64(second / 2), stamp: now + .seconds(3600))
      #expect(judge(ahead, at: now) != .stale)
    }
  }

  @Test mutating func extremeStampsDoNotTrap() {
    for stamp in [Int64.min, .max] {
      for now in [Int64.min, 0, .max] {
        let verdict = judge(
          beat(counter: 1, stamp: Instant(nanoseconds: stamp)), at: Instant(nanoseconds: now))
        if case .fresh(let remaining) = verdict { #expect(remaining <= .seconds(5)) }
      }
    }
  }
}
