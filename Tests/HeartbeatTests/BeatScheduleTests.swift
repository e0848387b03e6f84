import Ground
import Testing

@testable import Heartbeat

@Suite struct BeatScheduleTests {
  @Test func `The first beat is due at the claim`() {
    let schedule = BeatSchedule(timing: .standard, claimedAt: seconds(10))
    #expect(schedule.nextBeat == seconds(10))
  }

  @Test func `Counters grow by one and beats are two seconds apart`() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: seconds(10))
    #expect(schedule.beat(at: seconds(10)) == 1)
    #expect(schedule.nextBeat == seconds(12))
    #expect(schedule.beat(at: seconds(12)) == 2)
    #expect(schedule.nextBeat == seconds(14))
  }

  @Test func `After a pause missed beats are not made up for`() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: seconds(0))
    _ = schedule.beat(at: seconds(0))
    #expect(schedule.beat(at: seconds(61)) == 2)
    #expect(schedule.nextBeat == seconds(63))
  }

  @Test func `A schedule at the last instant does not trap`() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: Instant(nanoseconds: .max))
    #expect(schedule.beat(at: Instant(nanoseconds: .max)) == 1)
    #expect(schedule.nextBeat == Instant(nanoseconds: .max))
  }
}
