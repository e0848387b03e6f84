@testable import SharedContainer

/// Damage to the database's files while a process has them open, and before it opens them.
@Suite(.waits) struct OpenFilesTests {
  let place = Place()

  /// Without a descriptor: closing one would drop the locks that SQLite holds in this process.
  private func truncated(_ path: String, to size: Int) { Glibc.truncate(path, size) }

  @Test
  func `The first write after SQLite's log is unlinked fails, and saves the log's commits in the database`()
    throws
  {
    let claim: Claim
    do {
      let app = try place.open(.app)
      claim = try app.owned(seen: 0)
      expect(app.note("acknowledged", under: claim), is: .written(1))
      unlink(place.layout.databaseLog)
      let lost = ContainerError.logReplaced(path: place.layout.databaseLog)
      expect(app.note("not acknowledged", under: claim), is: .failed(lost))
      #expect(throws: lost) { try app.readRow() }
      #expect(lost.isLossOfTheContainer)
      // Before the connection is closed, as a killed process never closes it.
      Files.copyByAnotherProcess(place.layout.database, place.file("saved"))
      let saved = try Connection(path: place.file("saved"), access: .readWrite)
      expect(try saved.firstRow("SELECT words FROM notes")?.text(0), is: "acknowledged")
    }
    let next = try place.open(.app)
    expect(next.notes(), is: ["acknowledged"])
    expect(try next.readRow(), is: next.seen()?.row)
    expect(next.seen()?.row?.epoch, is: claim.epoch)
  }

  @Test func `A fenced write whose SQLite log is unlinked before the commit is reported as failed`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    let result = app.fencedWrite(under: claim, what: "note", atMonotonic: Instant(nanoseconds: 9)) { _ in
      unlink(place.layout.databaseLog)
    }
    guard case .failed(.logReplaced) = result else {
      Issue.record("acknowledged although the log is gone: \(result)")
      return
    }
  }

  @Test(arguments: ["-wal", "-shm", ""])
  func `A database, log or index that is replaced while open counts as a loss of the container`(
    suffix: String
  )
    throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    let path = place.layout.database + suffix
    rename(path, place.file("away"))
    Files.write(path, [])
    guard case .failed(let error) = app.note("lost", under: claim) else {
      Issue.record("written")
      return
    }
    #expect(error.isLossOfTheContainer)
    #expect(error.description.hasPrefix("\(path) was replaced or removed while it was open;"))
  }

  @Test(arguments: ["-wal", "-shm", ""])
  func `If the database, log or index is truncated while open, every later access fails`(suffix: String)
    throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    expect(app.note("before", under: claim), is: .written(1))
    let path = place.layout.database + suffix
    truncated(path, to: 0)
    expect(app.note("lost", under: claim), is: .failed(.cutShort(path: path)))
    expect(app.claim(seen: 1), is: .failed(.cutShort(path: path)))
    #expect(throws: ContainerError.cutShort(path: path)) { try app.readRow() }
    // SQLite has the index mapped: closing the connection would access it.
    if suffix == "-shm" { truncated(path, to: 32_768) }
  }

  @Test func `Checkpointed writes survive the truncation of SQLite's log`() throws {
    do {
      let app = try place.open(.app)
      let claim = try app.owned(seen: 0)
      expect(app.note("settled", under: claim), is: .written(1))
      app.settle()
      expect(app.note("after it", under: claim), is: .written(2))
      truncated(place.layout.databaseLog, to: 0)
      expect(app.note("lost", under: claim), is: .failed(.cutShort(path: place.layout.databaseLog)))
    }
    expect(try place.open(.app).notes(), is: ["settled"])
  }

  /// Otherwise the next claim would reuse an epoch that the LSP already knows.
  @Test func `A checkpointed claim survives the truncation of SQLite's log`() throws {
    do {
      let app = try place.open(.app)
      let claim = try app.owned(seen: 0)
      app.settle()
      truncated(place.layout.databaseLog, to: 0)
      expect(app.note("lost", under: claim), is: .failed(.cutShort(path: place.layout.databaseLog)))
    }
    expect(try place.open(.app).seen()?.row?.epoch, is: 1)
  }

  @Test func `A container keeps its id when SQLite's log and index are removed`() throws {
    let id: ContainerID
    do { id = try place.open(.app).id }
    unlink(place.layout.databaseLog)
    unlink(place.layout.databaseSharedMemory)
    expect(try place.open(.extension).id, is: id)
  }

  /// A start does not wait for the three syncs of a checkpoint.
  @Test func `Opening a used container leaves its commits in SQLite's log`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    app.settle()
    expect(app.note("in the log", under: claim), is: .written(1))
    expect(try place.open(.extension).notes(), is: ["in the log"])
    Files.copyByAnotherProcess(place.layout.database, place.file("saved"))
    let saved = try Connection(path: place.file("saved"), access: .readWrite)
    #expect(try saved.rows("SELECT words FROM notes").isEmpty)
  }

  /// A start reads the whole log.
  @Test func `SQLite's log stays below 80 pages through a hundred writes without an idle moment`() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    for number in 1...100 { expect(app.note("write \(number)", under: claim), is: .written(Int64(number))) }
    #expect(try FileFacts.at(place.layout.databaseLog).get().size < 80 * 4120)
  }

  // MARK: Before a process opens it

  private func used() throws {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    expect(app.write(beat(of: claim)), is: .written)
  }

  private func beat(of claim: Claim) -> Beat {
    Beat(
      role: .app, epoch: claim.epoch, phase: .claimed, counter: 1, process: .test,
      bootClock: Instant(nanoseconds: 1), wallClockNanoseconds: 2)
  }

  private func removeDatabase() {
    for suffix in ["", "-wal", "-shm"] { unlink(place.layout.database + suffix) }
  }

  private func refusal() -> ContainerError? {
    do throws(ContainerError) {
      _ = try SharedContainer.open(place.directory, role: .app, nodeSchema: Place.schema)
      return nil
    } catch { return error }
  }

  @Test func `Beside a heartbeat of epoch 1, a missing or empty database is refused and not created again`()
    throws
  {
    try used()
    removeDatabase()
    let lost = ContainerError.databaseLost(
      path: place.layout.database, because: "as the heartbeat contains epoch 1")
    expect(refusal(), is: lost)
    #expect(throws: lost) { try Snapshot.take(of: place.directory) }
    #expect(access(place.layout.database, F_OK) != 0)
    Files.write(place.layout.database, [])
    expect(refusal(), is: lost)
  }

  @Test func `A container with an empty database is refused, and SQLite's log beside it is kept`() throws {
    let app = try place.open(.app)
    _ = try app.owned(seen: 0)
    // A copy with its log, as a killed process leaves it.
    Files.copyByAnotherProcess(place.directory, place.file("killed"))
    let killed = ContainerLayout(directory: place.file("killed"))
    Files.copyByAnotherProcess(killed.database, place.file("kept"))
    truncated(killed.database, to: 0)
    let log = Files.read(killed.databaseLog)
    #expect(!log.isEmpty)
    #expect(
      throws: ContainerError.databaseLost(path: killed.database, because: "as its log exists without it")
    ) {
      try SharedContainer.open(killed.directory, role: .app, nodeSchema: Place.schema)
    }
    expect(Files.read(killed.databaseLog), is: log)
    Files.copyByAnotherProcess(place.file("kept"), killed.database)
    let restored = try SharedContainer.open(killed.directory, role: .app, nodeSchema: Place.schema)
    expect(restored.seen()?.row?.epoch, is: 1)
  }

  @Test(arguments: [0, 2])
  func `A database of another program is refused and not changed`(version: Int) throws {
    mkdir(place.directory, 0o700)
    do {
      let other = try Connection(path: place.layout.database, access: .create)
      try other.script("CREATE TABLE songs (title); PRAGMA user_version = \(version)")
    }
    chmod(place.layout.database, 0o600)
    guard case .notAContainer = refusal() else {
      Issue.record("\(String(describing: refusal()))")
      return
    }
    let other = try Connection(path: place.layout.database, access: .readOnly)
    let names = try other.rows("SELECT name FROM sqlite_schema").map { try $0.text(0) }
    expect(names, is: ["songs"])
  }

  @Test(arguments: ["heartbeat", "locks/app.lock", "locks/extension.lock", "locks/app.intent", "node.sqlite"])
  func `A container's file that is not a plain file with exactly one name is refused and named`(name: String)
    throws
  {
    try used()
    let path = "\(place.directory)/\(name)"
    let kept = place.file("kept")
    rename(path, kept)
    let damages: [(String, () -> Void, () -> Void)] = [
      ("a directory", { mkdir(path, 0o700) }, { rmdir(path) }),
      ("a pipe", { mkfifo(path, 0o600) }, { unlink(path) }),
      ("a link", { symlink(kept, path) }, { unlink(path) }),
      ("a second name", { link(kept, path) }, { unlink(path) }),
    ]
    for (what, damage, repair) in damages {
      damage()
      let error = try #require(refusal(), "\(name) as \(what)")
      #expect(error.description.hasPrefix(path), "\(error)")
      #expect(place.layout.damage().contains(error), "\(name) as \(what)")
      repair()
    }
    rename(kept, path)
    #expect(refusal() == nil)
    #expect(place.layout.damage().isEmpty)
  }

  @Test func `An owner takes its role lock again after the lock file was removed, replaced or overwritten`()
    throws
  {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    _ = try app.owned(seen: 0)
    let path = place.layout.roleLock(of: .app)
    for damage in [
      { _ = unlink(path) }, { _ = rename(path, path + "-away") }, { Files.write(path, [65, 66]) },
    ] {
      damage()
      expect(app.keepRoleLock(), is: .taken)
      expect(other.seen()?.holderLockIsBusy, is: true)
    }
    unlink(path)
    symlink("elsewhere", path)
    expect(app.keepRoleLock(), is: .damaged(.symbolicLink(path: path)))
    // A damaged lock does not prove that the holder is dead.
    expect(other.seen()?.holderLockIsBusy, is: true)
    unlink(path)
    expect(app.keepRoleLock(), is: .taken)
  }

  @Test func `An app whose container was moved away leaves the new one in its place to the extension`() throws
  {
    let app = try place.open(.app)
    let claim = try app.owned(seen: 0)
    rename(place.directory, place.file("away"))
    // As far as the extension has come before it creates the database.
    try place.layout.create()
    let replaced = ContainerError.containerReplaced(path: place.directory)
    expect(app.keepRoleLock(), is: .damaged(replaced))
    expect(app.write(beat(of: claim)), is: .failed(replaced))
    let other = try place.open(.extension)
    #expect(other.isNew)
  }
}
