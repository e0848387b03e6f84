import Ground
import DaemonRuntime
import Testing

@Suite("Who may stay at a door") struct DoorkeeperTests {
  private let start = Instant(nanoseconds: 0)

  private func door(strangers: Int = 2, guests: Int = 2, openRequests: Int = 3) -> Doorkeeper {
    var limits = Doorkeeper.Limits()
    limits.silentMax = strangers
    limits.activeMax = guests
    limits.openRequests = openRequests
    limits.firstMessageWithin = .seconds(10)
    return Doorkeeper(limits: limits)
  }

  @Test func `A newcomer always gets in, and the stranger who waited longest goes`() {
    var door = door()
    #expect(door.arrived(1, at: start) == nil)
    #expect(door.arrived(2, at: start) == nil)
    #expect(door.arrived(3, at: start) == 1)
    #expect(door.arrived(4, at: start) == 2)
    #expect(door.count == 2)
  }

  @Test func `No crowd of strangers turns out a guest`() {
    var door = door()
    _ = door.arrived(1, at: start)
    #expect(door.spoke(1, at: start) == .stays)
    for stranger: UInt64 in 2..<10_000 { #expect(door.arrived(stranger, at: start) != 1) }
    #expect(door.spoke(1, at: start) == .stays)
    #expect(door.count == 3)
  }

  @Test func `Among guests the longest silent goes first of those who wait for no answer`() {
    var door = door()
    for guest: UInt64 in [1, 2] {
      _ = door.arrived(guest, at: start)
      _ = door.spoke(guest, at: start)
    }
    door.wasAnswered(2)
    _ = door.arrived(3, at: start)
    #expect(door.spoke(3, at: start) == .staysInPlaceOf(2))
    _ = door.arrived(4, at: start)
    #expect(door.spoke(4, at: start) == .staysInPlaceOf(1))
    // Whoever speaks again is not the longest silent any more.
    _ = door.spoke(3, at: start)
    _ = door.arrived(5, at: start)
    #expect(door.spoke(5, at: start) == .staysInPlaceOf(4))
  }

  @Test func `Strangers have their time, and the deadline is that of the first`() {
    var door = door(strangers: 5)
    #expect(door.deadline == nil)
    _ = door.arrived(1, at: start)
    _ = door.arrived(2, at: start + .seconds(1))
    _ = door.arrived(3, at: start + .seconds(2))
    _ = door.spoke(1, at: start + .seconds(3))
    #expect(door.deadline == start + .seconds(11))
    #expect(door.sendAwayOverdue(at: start + .seconds(10)) == [])
    #expect(door.sendAwayOverdue(at: start + .seconds(12)) == [2, 3])
    #expect(door.deadline == nil)
    #expect(door.count == 1)
  }

  @Test func `Who asks without reading answers asks too much`() {
    var door = door()
    _ = door.arrived(1, at: start)
    for _ in 0..<3 { #expect(door.spoke(1, at: start) == .stays) }
    door.wasAnswered(1)
    #expect(door.spoke(1, at: start) == .stays)
    #expect(door.spoke(1, at: start) == .asksTooMuch)
  }

  @Test func `Without descriptors the oldest stranger goes, and never a guest`() {
    var door = door()
    _ = door.arrived(1, at: start)
    _ = door.spoke(1, at: start)
    _ = door.arrived(2, at: start)
    #expect(door.sendAwayLongestSilent() == 2)
    #expect(door.sendAwayLongestSilent() == nil)
    door.left(1)
    #expect(door.count == 0)
  }
}
