@testable import SharedContainer

@Suite(.waits) struct FencedWriteTests {
  let place = Place()

  @Test func `An owner's fenced write is visible to the process of the other role`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    expect(app.note("hello", under: claim), is: .written(1))
    expect(try place.open(.extension).notes(), is: ["hello"])
    expect(try Snapshot.take(of: place.directory).writes.last?.what, is: "note")
  }

  @Test func `The write of an owner that was taken over fails as fenced, with the new owner's claim row`()
    throws
  {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    let old = try app.owned(seen: 0)
    let new = try other.owned(seen: 1, 8)
    guard case .fenced(let row) = app.note("late", under: old) else {
      Issue.record("a superseded owner wrote")
      return
    }
    #expect(new.owns(row))
    expect(app.notes(), is: [])
    expect(other.note("mine", under: new), is: .written(1))
  }

  @Test func `A write under the highest epoch, but with another incarnation or container, is fenced`() throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    var twin = claim
    twin.incarnation += 1
    var foreign = claim
    foreign.container.low ^= 1
    for wrong in [twin, foreign] {
      guard case .fenced = app.note("x", under: wrong) else {
        Issue.record("\(wrong) wrote")
        return
      }
    }
    expect(app.notes(), is: [])
  }

  @Test func `A fenced write whose body throws changes nothing`() throws {
    struct Refusal: Error, CustomStringConvertible { let description = "not now" }
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    let result = app.fencedWrite(under: claim, what: "note", atMonotonic: Instant(nanoseconds: 0)) { node in
      try node.execute("INSERT INTO notes (words) VALUES ('x')")
      throw Refusal()
    }
    guard case .failed(.workFailed("not now")) = result else {
      Issue.record("\(result)")
      return
    }
    expect(app.notes(), is: [])
    expect(try Snapshot.take(of: place.directory).writes.count, is: 0)
  }

  @Test func `A fenced write during another connection's transaction is blocked at once`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    try Connection(path: place.layout.database, access: .readWrite).transaction(.immediate) {
      let result = app.fencedWrite(under: claim, what: "x", atMonotonic: Instant(nanoseconds: 0)) { _ in
        Issue.record("the body ran during another connection's transaction")
      }
      guard case .failed(.blocked(_, BlockedBy(pid: getpid(), isStopped: false))) = result else {
        Issue.record("\(result)")
        return
      }
    }
    expect(app.note("x", under: claim), is: .written(1))
  }

  @Test(arguments: [
    "INSERT INTO claims (epoch) VALUES (9)", "DELETE FROM node_writes", "UPDATE meta SET value = x'00'",
    "COMMIT",
    "PRAGMA synchronous = OFF", "DROP TABLE notes",
  ])
  func `A fenced write's body cannot change the library's tables, the schema or its transaction`(sql: String)
    throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    let result = app.fencedWrite(under: claim, what: "x", atMonotonic: Instant(nanoseconds: 0)) { node in
      try node.execute("INSERT INTO notes (words) VALUES ('x')")
      try node.execute(sql)
    }
    guard case .failed(.database(let error)) = result, error.kind == .notAllowed else {
      Issue.record("\(result)")
      return
    }
    expect(app.notes(), is: [])
  }
}
