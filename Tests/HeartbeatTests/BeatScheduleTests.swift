import Ground
import Testing

@testable import Heartbeat

@Suite struct BeatScheduleTests {
  @Test func theFirstBeatIsDueAtTheClaim() {
    let schedule = BeatSchedule(timing: .standard, claimedAt: seconds(10))
    #expect(schedule.nextBeat == seconds(10))
  }

  @Test func countersGrowByOneAndBeatsAreTwoSecondsApart() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: seconds(10))
    #expect(schedule.beat(at: seconds(10)) == 1)
    #expect(schedule.nextBeat == seconds(12))
    #expect(schedule.beat(at: seconds(12)) == 2)
    #expect(schedule.nextBeat == seconds(14))
  }

  @Test func afterAPauseNoLostBeatIsMadeUpFor() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: seconds(0))
    _ = schedule.beat(at: seconds(0))
    #expect(schedule.beat(at: seconds(61)) == 2)
    #expect(schedule.nextBeat == seconds(63))
  }

  @Test func theLastInstantDoesNotTrap() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: Instant(nanoseconds: .max))
    #expect(schedule.beat(at: Instant(nanoseconds: .max)) == 1)
    #expect(schedule.nextBeat == Instant(nanoseconds: .max))
  }
}
