import Ground
import TestKit

@testable import Heartbeat

@Suite struct BeatSlotTests {
  static let extremes: [Beat] = Role.allCases.flatMap { role in
    Phase.allCases.flatMap { phase in [UInt64.min, 1, .max].map { extreme(role, phase, $0) } }
  }

  private static func extreme(_ role: Role, _ phase: Phase, _ number: UInt64) -> Beat {
    let process = ProcessIdentity(
      pid: number == .max ? -1 : Int32.max, startTime: number, boot: BootID(high: number, low: ~number))
    return Beat(
      role: role, epoch: number, phase: phase, counter: number, process: process,
      bootClock: Instant(nanoseconds: number == 1 ? .min : .max),
      wallClockNanoseconds: number == 1 ? .max : .min)
  }

  @Test func `Every beat decodes to itself from its slot`() {
    for beat in Self.extremes {
      let bytes = BeatSlot.encode(beat)
      expect(bytes.count, is: BeatSlot.size)
      expect(BeatSlot.decode(bytes), is: beat)
    }
  }

  @Test func `A slot with one flipped bit reads as no beat`() {
    for beat in [Self.extremes[0], beat(counter: 3), Self.extremes[Self.extremes.count - 1]] {
      let bytes = BeatSlot.encode(beat)
      for bit in 0..<(8 * bytes.count) {
        var torn = bytes
        torn[bit / 8] ^= 1 << (bit % 8)
        #expect(BeatSlot.decode(torn) == nil, "bit \(bit)")
      }
    }
  }

  @Test func `A truncated or extended slot reads as no beat`() {
    let bytes = BeatSlot.encode(beat(counter: 3))
    for length in 0..<bytes.count { #expect(BeatSlot.decode(Array(bytes[..<length])) == nil) }
    #expect(BeatSlot.decode(bytes + [0]) == nil)
    #expect(BeatSlot.decode(bytes + bytes) == nil)
  }

  @Test func `A mixture of two beats reads as no beat`() {
    let old = BeatSlot.encode(beat(counter: 3))
    let new = BeatSlot.encode(beat(epoch: 8, counter: 1, phase: .claimed, stamp: seconds(9)))
    for cut in 0...old.count {
      let torn = Array(new[..<cut] + old[cut...])
      if torn != old && torn != new { #expect(BeatSlot.decode(torn) == nil, "cut at \(cut)") }
    }
  }

  @Test func `An empty slot, and one of only zeros or ones, read as no beat`() {
    #expect(BeatSlot.decode([]) == nil)
    #expect(BeatSlot.decode(Array(repeating: 0, count: BeatSlot.size)) == nil)
    #expect(BeatSlot.decode(Array(repeating: 0xFF, count: BeatSlot.size)) == nil)
  }
}

/// A holder is stale after 5 s of the observer's own running time without a new counter.
@Suite struct BeatMonitorTests {
  var monitor = BeatMonitor(timing: .standard)

  /// Looks once a second, so the observer has no pause.
  private mutating func silence(
    after beat: Beat?, ofEpoch epoch: UInt64 = 7, from start: Int, through end: Int
  ) -> [BeatMonitor.Verdict] {
    (start...end).map { monitor.looked(at: beat, ofEpoch: epoch, at: seconds(Double($0))) }
  }

  @Test
  mutating func `A holder whose counter is unchanged for 5 s is stale; one nanosecond earlier it is not`() {
    let verdicts = silence(after: beat(counter: 1), from: 0, through: 4)
    expect(verdicts, is: Array(repeating: .beating(atLeastUntil: seconds(5)), count: 5))
    let almost = Instant(nanoseconds: 4_999_999_999)
    expect(
      monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: almost), is: .beating(atLeastUntil: seconds(5)))
    expect(monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(5)), is: .stale)
  }

  @Test mutating func `A new counter restarts the 5 s`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let verdict = monitor.looked(at: beat(counter: 2), ofEpoch: 7, at: seconds(4.5))
    expect(verdict, is: .beating(atLeastUntil: seconds(9.5)))
  }

  @Test mutating func `A stale holder with a new counter counts as beating again`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 5)
    let verdict = monitor.looked(at: beat(counter: 2), ofEpoch: 7, at: seconds(6))
    expect(verdict, is: .beating(atLeastUntil: seconds(11)))
  }

  @Test mutating func `Without any beat the 5 s start at the first ownership check`() {
    let verdicts = silence(after: nil, from: 0, through: 5)
    #expect(verdicts.prefix(5).allSatisfy { $0 == .beating(atLeastUntil: seconds(5)) })
    expect(verdicts.last, is: .stale)
  }

  @Test mutating func `A pause of the observer restarts its 5 s`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 3)
    let verdict = monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(600))
    expect(verdict, is: .beating(atLeastUntil: seconds(605)))
    let verdicts = silence(after: beat(counter: 1), from: 601, through: 605)
    expect(verdicts.last, is: .stale)
    #expect(!verdicts.dropLast().contains(.stale))
  }

  @Test mutating func `Only a gap longer than one beat interval counts as a pause`() {
    for at in [0.0, 2, 4] { _ = monitor.looked(at: nil, ofEpoch: 7, at: seconds(at)) }
    expect(monitor.looked(at: nil, ofEpoch: 7, at: seconds(5)), is: .stale)
    monitor.reset()
    for at in [10.0, 12.001, 14] { _ = monitor.looked(at: nil, ofEpoch: 7, at: seconds(at)) }
    expect(monitor.looked(at: nil, ofEpoch: 7, at: seconds(15)), is: .beating(atLeastUntil: seconds(17.001)))
  }

  @Test mutating func `A new counter after a pause starts the 5 s anew`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let verdict = monitor.looked(at: beat(counter: 2), ofEpoch: 7, at: seconds(60))
    expect(verdict, is: .beating(atLeastUntil: seconds(65)))
  }

  @Test mutating func `Beats of another epoch do not restart the 5 s`() {
    for second in 0...4 {
      _ = monitor.looked(at: beat(epoch: 6, counter: UInt64(second)), ofEpoch: 7, at: seconds(Double(second)))
    }
    expect(monitor.looked(at: beat(epoch: 8, counter: 99), ofEpoch: 7, at: seconds(5)), is: .stale)
  }

  @Test mutating func `A beat with phase released does not restart the 5 s`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let released = beat(counter: 2, phase: .released)
    expect(monitor.looked(at: released, ofEpoch: 7, at: seconds(5)), is: .stale)
  }

  @Test mutating func `For a new holder the 5 s start anew`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    let verdict = monitor.looked(at: nil, ofEpoch: 8, at: seconds(5))
    expect(verdict, is: .beating(atLeastUntil: seconds(10)))
  }

  @Test mutating func `A beat that is unreadable once neither restarts nor ends the 5 s`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 2)
    _ = monitor.looked(at: nil, ofEpoch: 7, at: seconds(3))
    expect(
      monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(4)), is: .beating(atLeastUntil: seconds(5))
    )
  }

  /// After a sleep of the phone, the process that wakes first sees an old stamp of a healthy partner.
  @Test mutating func `The monitor ignores the age of a stamp`() {
    let old = beat(counter: 1, stamp: seconds(-100_000), boot: otherBoot)
    expect(monitor.looked(at: old, ofEpoch: 7, at: seconds(0)), is: .beating(atLeastUntil: seconds(5)))
  }

  @Test mutating func `After a reset a holder needs 5 s of silence again to count as frozen`() {
    _ = silence(after: beat(counter: 1), from: 0, through: 4)
    monitor.reset()
    expect(
      monitor.looked(at: beat(counter: 1), ofEpoch: 7, at: seconds(5)),
      is: .beating(atLeastUntil: seconds(10)))
  }

  @Test mutating func `A clock that goes back does not trap`() {
    _ = monitor.looked(at: nil, ofEpoch: 7, at: Instant(nanoseconds: .max))
    _ = monitor.looked(at: nil, ofEpoch: 7, at: Instant(nanoseconds: .min))
    _ = monitor.looked(at: nil, ofEpoch: 7, at: Instant(nanoseconds: .max))
  }
}

@Suite struct BeatScheduleTests {
  @Test func `The first beat is due at the claim`() {
    let schedule = BeatSchedule(timing: .standard, claimedAt: seconds(10))
    expect(schedule.nextBeat, is: seconds(10))
  }

  @Test func `Counters grow by one and beats are two seconds apart`() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: seconds(10))
    expect(schedule.beat(at: seconds(10)), is: 1)
    expect(schedule.nextBeat, is: seconds(12))
    expect(schedule.beat(at: seconds(12)), is: 2)
    expect(schedule.nextBeat, is: seconds(14))
  }

  @Test func `After a pause missed beats are not made up for`() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: seconds(0))
    _ = schedule.beat(at: seconds(0))
    expect(schedule.beat(at: seconds(61)), is: 2)
    expect(schedule.nextBeat, is: seconds(63))
  }

  @Test func `A schedule at the last instant does not trap`() {
    var schedule = BeatSchedule(timing: .standard, claimedAt: Instant(nanoseconds: .max))
    expect(schedule.beat(at: Instant(nanoseconds: .max)), is: 1)
    expect(schedule.nextBeat, is: Instant(nanoseconds: .max))
  }
}
