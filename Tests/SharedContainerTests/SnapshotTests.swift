@testable import SharedContainer

@Suite(.waits) struct SnapshotTests {
  let place = Place()

  private var copy: String { place.file("copy") }

  /// A copy taken while the log still holds everything, as a user would send it.
  private func copyOfOwnedContainer() throws -> Claim {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    _ = app.note("only in the log", under: claim)
    _ = app.write(
      Beat(
        role: .app, epoch: 1, phase: .established, counter: 5, process: .test,
        bootClock: Instant(nanoseconds: 1), wallClockNanoseconds: 2))
    // The connection must live until the copy is made: closing it checkpoints the log.
    withExtendedLifetime(app) { Files.copyByAnotherProcess(place.directory, copy) }
    return claim
  }

  @Test func `A copied container is read with SQLite's log, and no file of the copy is changed`() throws {
    let claim = try copyOfOwnedContainer()
    unlink(copy + "/node.sqlite-shm")
    #expect(Files.read(copy + "/node.sqlite-wal").count > 4096)
    let before = Files.names(in: copy)
    let bytes = Files.read(copy + "/node.sqlite")
    let snapshot = try Snapshot.take(of: copy)
    #expect(!snapshot.isLive)
    #expect(claim.owns(snapshot.owner))
    expect(snapshot.container, is: claim.container)
    expect(snapshot.schemaVersion, is: 2)
    expect(snapshot.claims.map(\.reason), is: ["a test"])
    expect(snapshot.claims.map(\.bootClock), is: [Instant(nanoseconds: 5)])
    expect(snapshot.writes.count, is: 1)
    expect(snapshot.writes.last?.atMonotonic, is: Instant(nanoseconds: 9))
    expect(snapshot.beat(of: .app)?.counter, is: 5)
    #expect(snapshot.beat(of: .extension) == nil)
    #expect(snapshot.lock(of: .app).exists && snapshot.lock(of: .app).holders.isEmpty)
    #expect(!snapshot.appWantsNode)
    expect(snapshot.tables.first { $0.name == "notes" }?.rows.map(\.values), is: [[1, "only in the log"]])
    expect(snapshot.problems, is: [])
    expect(Files.names(in: copy), is: before)
    expect(Files.read(copy + "/node.sqlite"), is: bytes)
  }

  @Test
  func `A copy with an interrupted transaction of another journal mode is read without its rows`() throws {
    _ = try place.open(.app).owned(seen: 0)
    let raw = try Connection(path: place.layout.database, access: .readWrite)
    try raw.script("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN IMMEDIATE")
    // More than the cache holds: some rows are in the database's file already.
    for _ in 0..<500 { try raw.execute("INSERT INTO notes(words) VALUES (hex(zeroblob(500)))") }
    Files.copyByAnotherProcess(place.directory, copy)
    try raw.execute("ROLLBACK")
    #expect(Files.read(copy + "/node.sqlite").count > 100_000)
    expect(try Snapshot.take(of: copy).tables.first { $0.name == "notes" }?.rows.isEmpty, is: true)
  }

  @Test func `A read-only copy of a container can be read`() throws {
    let claim = try copyOfOwnedContainer()
    for name in Files.names(in: copy) where !Files.isDirectory(copy + "/" + name) {
      chmod(copy + "/" + name, 0o400)
    }
    chmod(copy, 0o500)
    #expect(claim.owns(try Snapshot.take(of: copy).owner))
  }

  @Test func `A live container is read without dropping its owner's locks`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    expect(app.setIntent(true), is: .taken)
    let result = app.fencedWrite(under: claim, what: "in the middle", atMonotonic: Instant(nanoseconds: 0)) {
      _ in
      let snapshot = try Snapshot.take(of: place.directory)
      #expect(snapshot.isLive)
      expect(snapshot.appLock.holders, is: [getpid()])
      #expect(snapshot.appWantsNode)
      expect(snapshot.writer, is: BlockedBy(pid: getpid(), isStopped: false))
      expect(snapshot.writes.count, is: 0)
    }
    guard case .written = result else {
      Issue.record("\(result)")
      return
    }
    // SQLite still holds the owner's locks, so another writer is blocked.
    let outcome = app.fencedWrite(under: claim, what: "again", atMonotonic: Instant(nanoseconds: 0)) { _ in
      _ = try Snapshot.take(of: place.directory)
      return try place.open(.extension).note("x", under: claim)
    }
    let us = BlockedBy(pid: getpid(), isStopped: false)
    expect(outcome, is: .written(.failed(.blocked(path: place.layout.database, by: us))))
  }

  @Test func `A container without a running owner is read and not changed`() throws {
    _ = try place.open(.app).owned(seen: 0)
    let before = Files.names(in: place.directory)
    let snapshot = try Snapshot.take(of: place.directory + "/")
    #expect(!snapshot.isLive)
    expect(snapshot.owner?.epoch, is: 1)
    expect(Files.names(in: place.directory), is: before)
  }

  @Test func `A container that changes during the copy is copied again, up to a limit`() throws {
    let claim = try copyOfOwnedContainer()
    var taker = SnapshotTaker(
      layout: ContainerLayout(directory: copy), depth: SnapshotDepth(rowsPerTableMax: 9))
    var copies = 0
    taker.onRead = {
      copies += 1
      if copies < 3 { utimensat(AT_FDCWD, copy + "/node.sqlite-wal", nil, 0) }
    }
    #expect(claim.owns(try taker.take().owner))
    expect(copies, is: 3)
    taker.onRead = {
      copies += 1
      Files.write(copy + "/node.sqlite-journal", Array(repeating: 0, count: copies))
    }
    #expect(throws: ContainerError.keepsChanging(path: copy)) { _ = try taker.take() }
  }

  @Test func `A container that a process opens during the copy is read again as live`() throws {
    _ = try place.open(.app).owned(seen: 0)
    var taker = SnapshotTaker(layout: place.layout, depth: SnapshotDepth(rowsPerTableMax: 9))
    var owner: SharedContainer?
    taker.onRead = {
      owner = try? place.open(.extension)
      _ = owner?.claim(seen: 1)
    }
    let snapshot = try taker.take()
    #expect(snapshot.isLive)
    expect(snapshot.owner?.epoch, is: 2)
    expect(snapshot.extensionLock.holders, is: [getpid()])
    owner?.releaseRoleLock()
  }

  @Test func `The error for a path that is not a container says what is there instead`() throws {
    func words(_ path: String) -> String? {
      do { _ = try Snapshot.take(of: path) } catch { return error.description }
      return nil
    }
    let nowhere = place.file("nowhere")
    expect(words(nowhere), is: "there is no \(nowhere); check the path")
    expect(
      words(place.path),
      is: "\(place.path) is not a shared container, as it has no node.sqlite; check the path"
    )
    Files.write(nowhere, [])
    expect(words(nowhere), is: "\(nowhere) is a file; use the directory that contains node.sqlite and locks")
    mkdir(copy, 0o700)
    Files.write(copy + "/node.sqlite", [])
    expect(
      words(copy),
      is:
        "\(copy)/node.sqlite is empty: the wallet was never used; check that its disk has room, then open the app"
    )
    try Connection(path: copy + "/node.sqlite", access: .create).execute("CREATE TABLE other (v)")
    expect(
      words(copy),
      is:
        "\(copy) is not a shared container, as its database lacks the table meta, claims or node_writes; check the path"
    )
    Files.write(copy + "/node.sqlite", Array(repeating: 0x5A, count: 9000))
    expect(words(copy)?.hasPrefix("\(copy)/node.sqlite is damaged"), is: true)
  }

  @Test func `A snapshot of a container with a newer schema can be taken`() throws {
    _ = try place.open(.app).owned(seen: 0)
    try Connection(path: place.layout.database, access: .readWrite).execute("PRAGMA user_version = 99")
    expect(try Snapshot.take(of: place.directory).schemaVersion, is: 99)
  }

  @Test func `A snapshot reports an invalid claim row as a problem, and shows the other rows`() throws {
    let app = try place.open(.app)
    _ = try app.owned(seen: 0)
    _ = try app.owned(seen: 1)
    let raw = try Connection(path: place.layout.database, access: .readWrite)
    try raw.script("DROP TRIGGER claims_are_never_changed; UPDATE claims SET pid = 'x' WHERE epoch = 1")
    let snapshot = try Snapshot.take(of: place.directory)
    expect(snapshot.claims.map(\.row.epoch), is: [2])
    expect(
      snapshot.problems,
      is: [
        ContainerError.corrupt(
          path: place.layout.database, because: "column pid holds text, expected an integer")
      ])
  }

  @Test func `A snapshot shows a table whose name needs quoting`() throws {
    _ = try place.open(.app)
    let raw = try Connection(path: place.layout.database, access: .readWrite)
    try raw.script(
      "CREATE TABLE \"we\"\"ird; --\" (\"a b\"); INSERT INTO \"we\"\"ird; --\" VALUES (1), (2), (3)")
    let table = try Snapshot.take(of: place.directory, depth: SnapshotDepth(rowsPerTableMax: 2)).tables.first
    {
      $0.name == "we\"ird; --"
    }
    expect(table?.columns, is: ["a b"])
    expect(table?.rowCount, is: RowCount(3))
    expect(try table?.rows.map { try $0.integer(0) }, is: [2, 3])
  }
}
