import Ground
import Testing

@testable import Heartbeat

/// "Stale" is five seconds of the observer's own running time without a new counter.
@Suite struct BeatMonitorTests {
  var monitor = BeatMonitor(timing: .standard)

  /// Looks once a second, as the observer runs without a pause.
  private mutating func silence(
    after beat: Beat?, ofEpoch epoch: UInt64 = 7, from start: Int, through end: Int
  ) -> [BeatMonitor.Verdict] {
    (start...end).map { monitor.looked(at: beat, ofEpoch: epoch, at: seconds(Double($0))) }
  }

  @Test mutating func fiveSecondsOfSilenceAreStaleAndOneNanosecondLessIsNot() {
    let verdicts = silence(after: beat(counter: 1), from: 0, through: 4)
    #expect(verdicts == Array(repeating: .beating(atLeastUntil: seconds(5)), count: 5))
    let almost = Instant(nanoseconds: 4_999_999_999)
    #expect(
      monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: almost) == .beating(atLeastUntil: seconds(5)))
    #expect(monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(5)) == .stale)
  }

  @Test mutating func aNewCounterRestartsTheWindow() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let verdict = monitor.looked(at: beat(counter: 2), ofEpoch: 7, at: seconds(4.5))
    #expect(verdict == .beating(atLeastUntil: seconds(9.5)))
  }

  @Test mutating func aNewBeatAtTheLastInstantSavesAStaleHolder() {
    _ = silence(after: beat(counter: 1), from: 0, through: 5)
    let verdict = monitor.looked(at: beat(counter: 2), ofEpoch: 7, at: seconds(6))
    #expect(verdict == .beating(atLeastUntil: seconds(11)))
  }

  @Test mutating func noBeatAtAllIsSilenceFromTheFirstLookOn() {
    let verdicts = silence(after: nil, from: 0, through: 5)
    #expect(verdicts.prefix(5).allSatisfy { $0 == .beating(atLeastUntil: seconds(5)) })
    #expect(verdicts.last == .stale)
  }

  @Test mutating func aPauseOfTheObserverRestartsItsWindow() {
    _ = silence(after: beat(counter: 1), from: 0, through: 3)
    let verdict = monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(600))
    #expect(verdict == .beating(atLeastUntil: seconds(605)))
    let verdicts = silence(after: beat(counter: 1), from: 601, through: 605)
    #expect(verdicts.last == .stale)
    #expect(!verdicts.dropLast().contains(.stale))
  }

  @Test mutating func onlyAPauseLongerThanOneBeatCountsAsOne() {
    for at in [0.0, 2, 4] { _ = monitor.looked(at: nil, ofEpoch: 7, at: seconds(at)) }
    #expect(monitor.looked(at: nil, ofEpoch: 7, at: seconds(5)) == .stale)
    monitor.reset()
    for at in [10.0, 12.001, 14] { _ = monitor.looked(at: nil, ofEpoch: 7, at: seconds(at)) }
    #expect(monitor.looked(at: nil, ofEpoch: 7, at: seconds(15)) == .beating(atLeastUntil: seconds(17.001)))
  }

  @Test mutating func aBeatAfterAPauseDoesNotShortenTheNewWindow() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let verdict = monitor.looked(at: beat(counter: 2), ofEpoch: 7, at: seconds(60))
    #expect(verdict == .beating(atLeastUntil: seconds(65)))
  }

  @Test mutating func beatsOfAnotherEpochDoNotCount() {
    for second in 0...4 {
      _ = monitor.looked(
        at: beat(epoch: 6, counter: UInt64(second)), ofEpoch: 7, at: seconds(Double(second)))
    }
    #expect(monitor.looked(at: beat(epoch: 8, counter: 99), ofEpoch: 7, at: seconds(5)) == .stale)
  }

  @Test mutating func releasedBeatsDoNotCount() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let released = beat(counter: 2, phase: .released)
    #expect(monitor.looked(at: released, ofEpoch: 7, at: seconds(5)) == .stale)
  }

  @Test mutating func aNewHolderGetsAWindowOfItsOwn() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let verdict = monitor.looked(at: nil, ofEpoch: 8, at: seconds(5))
    #expect(verdict == .beating(atLeastUntil: seconds(10)))
  }

  @Test mutating func aSlotThatIsTornOnceIsNeitherABeatNorAnEnd() {
    _ = silence(after: beat(counter: 1), from: 0, through: 2)
    _ = monitor.looked(at: nil, ofEpoch: 7, at: seconds(3))
    #expect(
      monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(4)) == .beating(atLeastUntil: seconds(5)))
  }

  /// Whoever wakes first after the phone slept sees an old stamp on a healthy partner.
  @Test mutating func theAgeOfAStampSaysNothing() {
    let old = beat(counter: 1, stamp: seconds(-100_000), boot: otherBoot)
    #expect(monitor.looked(at: old, ofEpoch: 7, at: seconds(0)) == .beating(atLeastUntil: seconds(5)))
  }

  @Test mutating func resettingForgetsEverything() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    monitor.reset()
    #expect(
      monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(5)) == .beating(atLeastUntil: seconds(10)))
  }

  @Test mutating func aClockThatGoesBackDoesNotTrap() {
    _ = monitor.looked(at: nil, ofEpoch: 7, at: Instant(nanoseconds: .max))
    _ = monitor.looked(at: nil, ofEpoch: 7, at: Instant(nanoseconds: .min))
    _ = monitor.looked(at: nil, ofEpoch: 7, at: Instant(nanoseconds: .max))
  }
}
