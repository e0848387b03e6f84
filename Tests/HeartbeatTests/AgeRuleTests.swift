import Ground
import TestKit

@testable import Heartbeat

/// `--takeover wait-stale`: within one boot, a beat is fresh below 5.000 s of age.
@Suite struct AgeRuleTests {
  var rule = AgeRule(timing: .standard)

  private mutating func judge(_ beat: Beat?, at now: Instant) -> AgeRule.Verdict {
    rule.judge(beat, ofEpoch: 7, boot: thisBoot, bootClock: now)
  }

  @Test mutating func `A beat is stale at exactly 5.000 s of age`() {
    let stamped = beat(counter: 1, stamp: seconds(100))
    expect(judge(stamped, at: seconds(100)), is: .fresh(remaining: .seconds(5)))
    expect(judge(stamped, at: seconds(104.999)), is: .fresh(remaining: .milliseconds(1)))
    expect(
      judge(stamped, at: Instant(nanoseconds: 104_999_999_999)),
      is: .fresh(remaining: TimeSpan(nanoseconds: 1))
    )
    expect(judge(stamped, at: seconds(105)), is: .stale)
  }

  @Test mutating func `An observer that starts late judges by the same age`() {
    expect(judge(beat(counter: 1, stamp: seconds(100)), at: seconds(105)), is: .stale)
  }

  @Test mutating func `A beat of another boot is stale at once`() {
    expect(judge(beat(counter: 1, stamp: seconds(100), boot: otherBoot), at: seconds(100)), is: .stale)
  }

  @Test
  mutating func `A missing beat, another epoch's beat and a beat with phase released are stale at once`() {
    expect(judge(nil, at: seconds(100)), is: .stale)
    expect(judge(beat(epoch: 6, counter: 1, stamp: seconds(100)), at: seconds(100)), is: .stale)
    expect(judge(beat(counter: 1, phase: .released, stamp: seconds(100)), at: seconds(100)), is: .stale)
  }

  @Test mutating func `A beat with a stamp from the future is fresh for at most 5 s`() {
    let future = beat(counter: 1, stamp: seconds(3700))
    expect(judge(future, at: seconds(100)), is: .fresh(remaining: .seconds(5)))
    expect(judge(future, at: seconds(104.999)), is: .fresh(remaining: .milliseconds(1)))
    expect(judge(future, at: seconds(105)), is: .stale)
  }

  @Test mutating func `A holder whose clock is ahead stays fresh while it beats`() {
    for second in 0..<20 {
      let now = seconds(Double(100 + second))
      let ahead = beat(counter: UInt64(second / 2), stamp: now + .seconds(3600))
      #expect(judge(ahead, at: now) != .stale)
    }
  }

  @Test mutating func `Extreme stamps do not trap`() {
    for stamp in [Int64.min, .max] {
      for now in [Int64.min, 0, .max] {
        let verdict = judge(
          beat(counter: 1, stamp: Instant(nanoseconds: stamp)), at: Instant(nanoseconds: now))
        if case .fresh(let remaining) = verdict { #expect(remaining <= .seconds(5)) }
      }
    }
  }
}
