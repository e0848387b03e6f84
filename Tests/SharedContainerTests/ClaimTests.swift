@testable import SharedContainer

@Suite(.waits) struct ClaimTests {
  let place = Place()

  private func raw() throws -> Connection { try Connection(path: place.layout.database, access: .readWrite) }

  @Test func `The first claim has epoch 1 and returns the state that it read`() throws {
    let app = try place.open(.app)
    #expect(try app.readRow() == nil)
    expect(app.claim(seen: 0), is: .claimed(Claim(epoch: 1, incarnation: 7, container: app.id), 0))
    let row = ClaimRow(epoch: 1, role: .app, process: .test, incarnation: 7, container: app.id)
    expect(try place.open(.extension).readRow(), is: row)
    #expect(app.roleLock.isHeld)
  }

  @Test func `A claim that expects another highest epoch than the database has is refused`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    let claim = try app.owned(seen: 0)
    for wrong: Epoch in [0, 2, .max] {
      guard case .superseded(let row) = other.claim(seen: wrong) else {
        Issue.record("epoch \(wrong) was accepted")
        return
      }
      #expect(claim.owns(row))
      #expect(!other.roleLock.isHeld)
    }
    expect(try other.owned(seen: 1).epoch, is: 2)
  }

  @Test func `A refused claim keeps a role lock that the process already held`() throws {
    let app = try place.open(.app)
    _ = try app.owned(seen: 0)
    _ = app.claim(seen: 0)
    #expect(app.roleLock.isHeld)
  }

  @Test func `A process cannot claim while another of its role holds the role lock`() throws {
    let first = try place.open(.app)
    let second = try place.open(.app)
    _ = try first.owned(seen: 0)
    expect(second.claim(seen: 1), is: .ownLockBusy)
    first.releaseRoleLock()
    expect(try second.owned(seen: 1).epoch, is: 2)
  }

  @Test
  func `A claim during another connection's transaction is blocked and names that connection's process`()
    throws
  {
    let app = try place.open(.app)
    let writer = try raw()
    try writer.transaction(.immediate) {
      let us = BlockedBy(pid: getpid(), isStopped: false)
      expect(app.claim(seen: 0), is: .failed(.blocked(path: place.layout.database, by: us)))
      let row = try app.readRow()
      #expect(row == nil)
    }
    #expect(!app.roleLock.isHeld)
    expect(try app.owned(seen: 0).epoch, is: 1)
  }

  @Test func `A claim whose state cannot be read fails`() throws {
    let app = try place.open(.app)
    let result = app.claim(seen: 0, by: .test()) { node in try node.rows("SELECT * FROM nowhere") }
    guard case .failed = result else {
      Issue.record("claimed without a state")
      return
    }
    #expect(try app.readRow() == nil)
    #expect(!app.roleLock.isHeld)
  }

  @Test func `The reader that a claim passes to its caller cannot write, and is invalid after the claim`()
    throws
  {
    let app = try place.open(.app)
    var kept: NodeReader?
    let result = app.claim(seen: 0, by: .test()) { node in
      kept = node
      #expect(throws: DatabaseError.self) { _ = try node.rows("INSERT INTO notes (words) VALUES ('x')") }
      #expect(throws: DatabaseError.self) { _ = try node.rows("COMMIT") }
    }
    guard case .claimed = result else {
      Issue.record("not claimed")
      return
    }
    #expect(throws: (any Error).self) { _ = try kept?.rows("SELECT 1") }
  }

  @Test func `A claim fails if the highest epoch is already the largest possible number`() throws {
    let app = try place.open(.app)
    _ = try app.owned(seen: 0)
    try raw().execute(
      "INSERT INTO claims SELECT 9223372036854775807, role, pid, start_time, boot_high, boot_low, incarnation, "
        + "claimed_boot_ns, claimed_wall_ns, seen_epoch, reason FROM claims")
    expect(app.claim(seen: Epoch(Int64.max)), is: .failed(.epochsExhausted(path: place.layout.database)))
  }

  @Test func `Rows of claims can be neither updated nor deleted`() throws {
    _ = try place.open(.app).owned(seen: 0)
    #expect(throws: DatabaseError.self) { try raw().execute("UPDATE claims SET epoch = 5") }
    #expect(throws: DatabaseError.self) { try raw().execute("DELETE FROM claims") }
  }

  @Test(arguments: ["role = 'admin'", "epoch = -4", "pid = 99999999999", "pid = 'x'", "incarnation = x'00'"])
  func `An invalid claim row is reported as corrupt`(change: String) throws {
    let app = try place.open(.app)
    _ = try app.owned(seen: 0)
    try raw().script(
      "DROP TRIGGER claims_are_never_changed; PRAGMA ignore_check_constraints = ON; UPDATE claims SET \(change)"
    )
    let damage = #expect(throws: ContainerError.self) { try app.readRow() }
    guard case .corrupt? = damage else {
      Issue.record("\(String(describing: damage))")
      return
    }
    guard case .failed(.corrupt) = app.claim(seen: 1) else {
      Issue.record("claimed above an invalid row")
      return
    }
  }

  @Test func `An owner raises its epoch above the peer's, and writes under its old claim are fenced`() throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    let result = app.raiseEpoch(under: claim, above: 40, by: .test(8)) { _ in true }
    expect(result, is: .claimed(Claim(epoch: 41, incarnation: 8, container: app.id), true))
    expect(app.note("late", under: claim), is: .fenced(by: app.seen()?.row))
  }

  @Test func `An owner that was taken over cannot raise its epoch`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    let claim = try app.owned(seen: 0)
    _ = try other.owned(seen: 1)
    guard case .superseded(let row) = app.raiseEpoch(under: claim, above: 40, by: .test(), reading: { _ in })
    else {
      Issue.record("a superseded owner raised its epoch")
      return
    }
    expect(row?.epoch, is: 2)
  }

  @Test(arguments: [0, 1 + Claim.farthestRaise, UInt64(Int64.max), .max])
  func `A raise of the epoch is refused if it is too far or not above the current epoch`(above: Epoch) throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    expect(
      app.raiseEpoch(under: claim, above: above, by: .test()) { _ in 0 },
      is: .failed(.epochJumpRefused(from: 1, above: above)))
  }

  @Test func `A database replaced while open is reported by claim, write and ownership check`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    Files.copyByAnotherProcess(place.layout.database, place.file("copy"))
    rename(place.file("copy"), place.layout.database)
    let replaced = ContainerError.containerReplaced(path: place.layout.database)
    expect(app.claim(seen: 1), is: .failed(replaced))
    expect(app.note("lost", under: claim), is: .failed(replaced))
    #expect(throws: replaced) {
      try app.look(boot: BootID(high: 1, low: 2), bootClock: Instant(nanoseconds: 0))
    }
  }

  @Test func `A claim reports that the open container's directory was moved away or replaced`() throws {
    let app = try place.open(.app)
    rename(place.directory, place.file("moved"))
    expect(app.claim(seen: 0), is: .failed(.containerReplaced(path: place.directory)))
    _ = try place.open(.extension)
    expect(app.claim(seen: 0), is: .failed(.containerReplaced(path: place.directory)))
  }
}
