import DaemonRuntime

@Suite("Limits of a listener's connections") struct DoorkeeperTests {
  private let start = Instant(nanoseconds: 0)

  private func door(_ connectionsMax: Int = 2, openRequests: Int = 3) -> Doorkeeper {
    var limits = Doorkeeper.Limits()
    limits.connectionsMax = connectionsMax
    limits.openRequests = openRequests
    limits.firstMessageWithin = .seconds(10)
    return Doorkeeper(limits: limits)
  }

  @Test func `Above the limit of connections a new one is accepted, and the longest silent one closed`() {
    var door = door()
    #expect(door.arrived(1, at: start) == nil)
    #expect(door.arrived(2, at: start) == nil)
    expect(door.arrived(3, at: start), is: 1)
    expect(door.arrived(4, at: start), is: 2)
    expect(door.count, is: 2)
  }

  @Test func `Silent connections never displace a connection that has sent a request`() {
    var door = door()
    _ = door.arrived(1, at: start)
    expect(door.spoke(1, at: start), is: true)
    _ = door.arrived(2, at: start)
    for stranger: UInt64 in 3..<10_000 { expect(door.arrived(stranger, at: start), is: stranger - 1) }
    expect(door.spoke(1, at: start), is: true)
    expect(door.count, is: 2)
  }

  @Test
  func `Of connections that sent requests the longest idle is closed, those without an open request first`() {
    var door = door()
    for guest: UInt64 in [1, 2] {
      _ = door.arrived(guest, at: start)
      _ = door.spoke(guest, at: start)
    }
    door.wasAnswered(2)
    expect(door.arrived(3, at: start), is: 2)
    _ = door.spoke(3, at: start)
    // A connection that sends again is not the longest idle any more.
    _ = door.spoke(1, at: start)
    expect(door.arrived(4, at: start), is: 3)
  }

  @Test
  func `A connection silent for 10 s is overdue; the deadline is that of the connection silent the longest`()
  {
    var door = door(5)
    #expect(door.deadline == nil)
    _ = door.arrived(1, at: start)
    _ = door.arrived(2, at: start + .seconds(1))
    _ = door.arrived(3, at: start + .seconds(2))
    _ = door.spoke(1, at: start + .seconds(3))
    expect(door.deadline, is: start + .seconds(11))
    expect(door.sendAwayOverdue(at: start + .seconds(10)), is: [])
    expect(door.sendAwayOverdue(at: start + .seconds(12)), is: [2, 3])
    #expect(door.deadline == nil)
    expect(door.count, is: 1)
  }

  @Test func `A request beyond a connection's limit of unanswered requests is rejected`() {
    var door = door()
    _ = door.arrived(1, at: start)
    for _ in 0..<3 { expect(door.spoke(1, at: start), is: true) }
    door.wasAnswered(1)
    expect(door.spoke(1, at: start), is: true)
    expect(door.spoke(1, at: start), is: false)
  }

  @Test
  func `To free a descriptor the connection silent the longest is closed, never a connection with a request`()
  {
    var door = door()
    _ = door.arrived(1, at: start)
    _ = door.spoke(1, at: start)
    _ = door.arrived(2, at: start)
    expect(door.sendAwayLongestSilent(), is: 2)
    #expect(door.sendAwayLongestSilent() == nil)
    door.left(1)
    expect(door.count, is: 0)
  }
}
