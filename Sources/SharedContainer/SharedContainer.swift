// SharedContainer: the App Group directory that two processes share, and the node's guards in it: role locks, the
// claim, fenced writes, the heartbeat file, and the snapshot for tools. It reads and writes at once and never waits;
// Guardrails decides which process may claim when.

import Ground
import Guardrails
import Heartbeat
import Platform

/// One process's access to a container, in one role. For one thread.
public final class SharedContainer {
  public let layout: ContainerLayout
  public let role: Role
  public let id: ContainerID
  /// The lock of this process's own role.
  public let roleLock: RoleLock
  /// The intent lock; only the app takes it.
  let intentLock: IntentLock
  let otherRoleLock: RoleLock
  let heartbeatFile: HeartbeatFile
  let connection: Connection
  private var openFiles: OpenFiles
  /// Whether a commit is only in the log, as far as this process knows.
  var isUnsettled = false

  /// Opens the container, creating it if it is missing, with the wallet's schema steps after its own.
  ///
  /// Called first in a process: the locks must get the lowest descriptors. Waits, with a limit, only while another
  /// process creates the same container; an existing container opens even during a stopped writer's transaction.
  public static func open(
    _ directory: String, role: Role, nodeSchema: [String] = []
  ) throws(ContainerError) -> SharedContainer {
    let layout = ContainerLayout(directory: directory)
    try layout.create()
    do {
      return try SharedContainer(layout: layout, role: role, nodeSchema: nodeSchema)
    } catch { throw ContainerError(error, in: layout) }
  }

  private init(layout: ContainerLayout, role: Role, nodeSchema: [String]) throws {
    self.layout = layout
    self.role = role
    roleLock = RoleLock(path: layout.roleLock(of: role))
    otherRoleLock = RoleLock(path: layout.roleLock(of: role.other))
    intentLock = IntentLock(path: layout.appIntent)
    heartbeatFile = HeartbeatFile(path: layout.heartbeat)
    try roleLock.open()
    if role == .app { try intentLock.open() }

    try EarlierUse(of: layout).refuseLostDatabase()
    try layout.createDatabase()
    openFiles = try OpenFiles(layout)
    connection = try Self.connect(layout, nodeSchema: nodeSchema)
    let claims = ClaimTable(connection: connection)
    guard try claims.areThere() else {
      throw ContainerError.notAContainer(
        path: layout.directory, because: "as its database lacks the table meta, claims or node_writes")
    }
    guard let id = try claims.containerID() else {
      throw ContainerError.corrupt(path: layout.database, because: "the container's id is missing")
    }
    self.id = id
    connection.setBusyTimeout(milliseconds: 0)
    try openFiles.addLogAndIndex()
    try checkIdentity()
  }

  /// SQLite's default.
  private static var pageSize: Int64 { 4096 }

  /// The pages in the log from which on a commit checkpoints it. A start reads the whole log: with SQLite's 1,000 pages
  /// that took longer than the checkpoint that a start no longer makes.
  private static var logPagesMax: Int { 64 }

  /// For another process to create the database: a few syncs, each of which may take a second on a busy disk.
  private static var creationMax: TimeSpan { .seconds(10) }

  private static func connect(_ layout: ContainerLayout, nodeSchema: [String]) throws -> Connection {
    // Two processes creating one database meet locks that SQLite does not wait for (the change to WAL).
    let end = Kernel.now + creationMax
    while true {
      do {
        let connection = try Connection(path: layout.database, access: .readWrite, busyTimeoutMs: 100)
        try connection.execute("PRAGMA wal_autocheckpoint = \(logPagesMax)")
        try connection.migrate(steps: ContainerSchema.steps + nodeSchema) { before in
          guard before == 0 else { return }
          try EarlierUse(of: layout).refuseNewDatabase()
          try ClaimTable(connection: connection).insert(Randomness.containerID())
        }
        // The id must not be in the log alone: without the log the container is then an old copy, which the peer's
        // backup heals, and not another device, which the peer refuses. A database that was never checkpointed has one
        // page. Later starts do not wait for the three syncs.
        if try layout.databaseFacts().size <= Self.pageSize { _ = try? connection.checkpoint() }
        return connection
      } catch let error as DatabaseError where error.kind == .busy && Kernel.now < end {
        // A stopped process inside a transaction does not finish while we wait.
        if BlockedBy.find(in: layout)?.isStopped == true { throw error }
        Kernel.pause(milliseconds: 5)
      }
    }
  }

  /// Throws if the files that this process has open are no longer those at the container's path.
  func checkIdentity() throws(ContainerError) { try openFiles.check() }

  /// Checkpoints the log as far as no reader prevents it: from then on the database survives the loss of its log. For
  /// idle moments. Nothing depends on its success.
  public func settle() {
    guard isUnsettled, (try? checkIdentity()) != nil else { return }
    isUnsettled = (try? connection.checkpoint()) != true
  }

  /// Saves commits from a log that was unlinked while this process has it open. Another process that creates a new log
  /// meanwhile would first have to claim before it could write.
  func rescueLog() {
    if openFiles.lacksOnlyTheLog() { _ = try? connection.checkpoint() }
  }

  /// The schema version with these steps of the wallet.
  public static func schemaVersion(nodeSchema: [String]) -> Int64 {
    Int64(ContainerSchema.steps.count + nodeSchema.count)
  }

  /// A random number for one claim.
  public static func newIncarnation() throws(ContainerError) -> UInt64 { try Randomness.number() }

  // MARK: Intent

  /// Raises or withdraws the app's intent. The kernel drops the intent lock when the app dies.
  public func setIntent(_ wantsNode: Bool) -> LockTry {
    guard role == .app else { return .damaged(.intentIsTheAppsOnly) }
    if wantsNode { return intentLock.tryTake() }
    intentLock.drop()
    return .taken
  }

  // MARK: Beats

  /// Not into another container in this one's place: before its database is created, a beat in it would look like one
  /// of a lost database.
  public func write(_ beat: Beat) -> BeatWrite {
    do { try checkIdentity() } catch { return .failed(error) }
    return heartbeatFile.write(beat)
  }

  /// Takes the role lock again if its file was removed or replaced; called with each beat, so that the owner looks
  /// dead for at most one beat.
  public func keepRoleLock() -> LockTry {
    do { try checkIdentity() } catch { return .damaged(error) }
    return roleLock.tryTake()
  }
}

extension SharedContainer {
  /// Claims the node by compare-and-set against the epoch that was seen (0 for none), and reads its state in the same
  /// durable transaction. Takes the own role lock first, and drops it at once if the claim fails, unless it was held
  /// before.
  public func claim<State>(
    seen: Epoch, by claimant: Claimant, reading: (NodeReader) throws -> State
  ) -> ClaimResult<State> {
    withOwnLock { () throws(ContainerError) in
      try claimLocked(by: claimant, reading: reading) { (row) throws(ContainerError) in
        let highest = row?.epoch ?? 0
        guard highest == seen else { return nil }
        guard highest < Epoch(Int64.max) else { throw .epochsExhausted(path: layout.database) }
        return highest + 1
      }
    }
  }

  /// Raises the own claim above an epoch that the peer knows and this database does not: an old copy of it was
  /// restored. Only while the row is this claim's own, and no farther than `Claim.mayRaise` allows.
  public func raiseEpoch<State>(
    under claim: Claim, above known: Epoch, by claimant: Claimant, reading: (NodeReader) throws -> State
  ) -> ClaimResult<State> {
    withOwnLock { () throws(ContainerError) in
      try claimLocked(by: claimant, reading: reading) { (row) throws(ContainerError) in
        guard claim.owns(row), row?.container == claim.container else { return nil }
        guard claim.mayRaise(above: known) else { throw .epochJumpRefused(from: claim.epoch, above: known) }
        return known + 1
      }
    }
  }

  /// Drops the role lock: the last step of a release.
  public func releaseRoleLock() { roleLock.drop() }

  private func withOwnLock<State>(
    _ body: () throws(ContainerError) -> ClaimResult<State>
  ) -> ClaimResult<State> {
    // Checked before the lock too: if the directory was replaced, the lock would be another container's.
    do {
      try checkIdentity()
    } catch {
      rescueLog()
      return .failed(error)
    }
    let wasHeld = roleLock.stillGuards
    switch roleLock.tryTake() {
    case .taken: break
    case .busy: return .ownLockBusy
    case .damaged(let error): return .failed(error)
    }
    let result: ClaimResult<State>
    do throws(ContainerError) { result = try body() } catch { result = .failed(error) }
    if case .claimed = result {
      isUnsettled = true
      return result
    }
    // A lock without a claim would make the row's earlier holder of this role look alive.
    if !wasHeld { roleLock.drop() }
    return result
  }

  /// `next`: the epoch to claim; nil for a row that is not the seen one.
  private func claimLocked<State>(
    by claimant: Claimant, reading: (NodeReader) throws -> State,
    next: (ClaimRow?) throws(ContainerError) -> Epoch?
  ) throws(ContainerError) -> ClaimResult<State> {
    try attempt {
      try connection.transaction(.immediate) {
        try checkIdentity()
        let claims = ClaimTable(connection: connection)
        let row = try claims.highestRow()
        guard let epoch = try next(row) else { return .superseded(row) }
        let claim = Claim(epoch: epoch, incarnation: claimant.incarnation, container: id)
        try claims.insert(claim, role: role, by: claimant, seen: row?.epoch ?? 0)
        let reader = NodeReader(connection)
        defer { reader.end() }
        return .claimed(claim, try reading(reader))
      }
    }
  }

  private func attempt<Answer>(_ body: () throws -> Answer) throws(ContainerError) -> Answer {
    do { return try body() } catch {
      let translated = ContainerError(error, in: layout)
      if translated.isLossOfTheContainer { rescueLog() }
      throw translated
    }
  }
}

extension SharedContainer {
  /// The row of the highest epoch: one prepared query, no write lock. Read before each beat.
  public func readRow() throws(ContainerError) -> ClaimRow? {
    try attempt {
      try checkIdentity()
      return try ClaimTable(connection: connection).highestRow()
    }
  }

  /// Reads the row and node state in one transaction, as after the peer's `init`.
  public func read<Value>(
    _ body: (ClaimRow?, NodeReader) throws -> Value
  ) throws(ContainerError) -> Value {
    try attempt {
      try checkIdentity()
      return try connection.transaction(.deferred) {
        try checkIdentity()
        let row = try ClaimTable(connection: connection).highestRow()
        let reader = NodeReader(connection)
        defer { reader.end() }
        return try body(row, reader)
      }
    }
  }

  /// Everything that the claim rule needs. Boot and clock are the caller's.
  ///
  /// The row is read again at the end: if the owner changed in between, the lock would be of one and the beat of
  /// another. That costs only time, as a claim compares the row's epoch; so there are two retries.
  public func look(boot: BootID, bootClock: Instant) throws(ContainerError) -> Observation {
    var observation = Observation(
      row: nil, holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: boot, bootClock: bootClock)
    for _ in 0..<3 {
      observation.row = try readRow()
      observation.holderLockIsBusy = observation.row.map { isLockBusy(of: $0.role) } ?? false
      observation.beat = observation.row.flatMap { heartbeatFile.read($0.role) }
      observation.appWantsNode = appWantsNode
      if rowIs(observation.row) { break }
    }
    return observation
  }

  /// No process has ever claimed this container's node.
  public var isNew: Bool { rowIs(nil) }

  private func rowIs(_ row: ClaimRow?) -> Bool {
    do throws(ContainerError) { return try readRow() == row } catch { return false }
  }

  /// Frees what SQLite's cache does not need; in bytes.
  public func releaseMemory() -> UInt64 { connection.releaseMemory() }

  /// Whether a live app holds the intent lock.
  public var appWantsNode: Bool { intentLock.probe() == .busy }

  /// Whether any process holds the lock of a role. A missing or damaged file proves no death, so it counts as busy:
  /// the beats then decide, which costs seconds; counting it as free could displace a healthy owner.
  private func isLockBusy(of role: Role) -> Bool {
    (role == self.role ? roleLock : otherRoleLock).probe() != .free
  }
}

extension SharedContainer {
  /// The only way to write node state: the claim is checked, by epoch *and* incarnation, in the writing transaction. A
  /// superseded owner that thaws fails here, and changes nothing.
  public func fencedWrite<Value>(
    under claim: Claim, what: String, atMonotonic now: Instant, _ body: (NodeWriter) throws -> Value
  ) -> FencedResult<Value> {
    do throws(ContainerError) {
      return try attempt {
        try checkIdentity()
        let result: FencedResult<Value> = try connection.transaction(.immediate) {
          try checkIdentity()
          let row = try ClaimTable(connection: connection).highestRow()
          guard claim.owns(row), row?.container == claim.container else { return .fenced(by: row) }
          let writer = NodeWriter(connection)
          defer { writer.end() }
          let value = try body(writer)
          try connection.insert(
            into: "node_writes", "epoch, incarnation, what, at_mono_ns",
            [.unsigned(claim.epoch), .bits(claim.incarnation), .text(what), .integer(now.nanoseconds)])
          return .written(value)
        }
        isUnsettled = true
        // A commit into files that were unlinked meanwhile is not durable: it must not be acknowledged.
        try checkIdentity()
        return result
      }
    } catch { return .failed(error) }
  }

  /// Reads node state under the same check as a write, in one transaction with the row.
  public func fencedRead<Value>(under claim: Claim, _ body: (NodeReader) throws -> Value) -> FencedResult<
    Value
  > {
    do throws(ContainerError) {
      return try read { row, reader in
        guard claim.owns(row), row?.container == claim.container else { return .fenced(by: row) }
        return .written(try body(reader))
      }
    } catch { return .failed(error) }
  }
}

/// The kernel's random bytes.
enum Randomness {
  static func number() throws(ContainerError) -> UInt64 {
    guard let number = Kernel.randomNumber() else { throw .noRandomness }
    return number
  }

  static func containerID() throws(ContainerError) -> ContainerID {
    ContainerID(high: try number(), low: try number())
  }
}

/// Signs outside the database that a container was used before. With them a missing or empty database is damage: with
/// a new one the peer would see another device, and SQLite would delete a log without its database.
struct EarlierUse {
  private let layout: ContainerLayout
  private let highestBeat: Epoch
  private let hasLog: Bool

  /// Read before the database, so that a database created meanwhile does not count as lost.
  init(of layout: ContainerLayout) {
    self.layout = layout
    let heartbeat = HeartbeatFile(path: layout.heartbeat)
    highestBeat = Role.allCases.compactMap { heartbeat.read($0)?.epoch }.max() ?? 0
    hasLog = ((try? FileFacts.at(layout.databaseLog).get().size) ?? 0) > 0
  }

  /// Before SQLite opens the database.
  func refuseLostDatabase() throws(ContainerError) {
    // Another kind of file has its own error.
    if let facts = try? FileFacts.at(layout.database).get(), facts.size > 0 || !facts.isPlainFile { return }
    if hasLog { throw lost("as its log exists without it") }
    try refuseNewDatabase()
  }

  /// When the database turns out to be empty.
  func refuseNewDatabase() throws(ContainerError) {
    if highestBeat > 0 { throw lost("as the heartbeat contains epoch \(highestBeat)") }
  }

  private func lost(_ because: String) -> ContainerError {
    .databaseLost(path: layout.database, because: because)
  }
}

/// The tables that guard the node. The wallet's tables are further steps of the same numbered list.
enum ContainerSchema {
  /// Must stay one step: the wallet's steps are numbered after it, and a second one here would shift them.
  static let steps = [
    """
    CREATE TABLE meta (
      key TEXT PRIMARY KEY NOT NULL,
      value BLOB NOT NULL
    );
    -- The row of the highest epoch owns the node. Epochs are compared, so they are stored as themselves; start
    -- times, boot ids and incarnations are only given back, so they are stored as bit patterns.
    CREATE TABLE claims (
      epoch INTEGER PRIMARY KEY CHECK (epoch > 0),
      role TEXT NOT NULL CHECK (role IN ('app', 'extension')),
      pid INTEGER NOT NULL,
      start_time INTEGER NOT NULL,
      boot_high INTEGER NOT NULL,
      boot_low INTEGER NOT NULL,
      incarnation INTEGER NOT NULL,
      claimed_boot_ns INTEGER NOT NULL,
      claimed_wall_ns INTEGER NOT NULL,
      seen_epoch INTEGER NOT NULL,
      reason TEXT NOT NULL
    );
    CREATE TRIGGER claims_are_never_changed BEFORE UPDATE ON claims
      BEGIN SELECT RAISE(ABORT, 'claims are never changed'); END;
    CREATE TRIGGER claims_are_never_removed BEFORE DELETE ON claims
      BEGIN SELECT RAISE(ABORT, 'claims are never removed'); END;
    CREATE TABLE node_writes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      epoch INTEGER NOT NULL,
      incarnation INTEGER NOT NULL,
      what TEXT NOT NULL,
      at_mono_ns INTEGER NOT NULL
    );
    """
  ]

  /// Tables that only the container itself writes.
  static let guarded: Set<String> = ["meta", "claims", "node_writes"]
}

/// The files at a container's paths when the database was opened, to detect changes under a running process.
///
/// SQLite continues with its open files, whatever happens to their names: commits in an unlinked log are lost at the
/// next start, and two indexes are two sets of locks. While a connection is open, no correct user of SQLite removes or
/// shortens these files.
struct OpenFiles {
  private struct File {
    enum Kind { case directory, database, logOrIndex }

    let kind: Kind
    let path: String
    var facts: FileFacts
  }

  private let layout: ContainerLayout
  private var files: [File]

  /// The directory and the database, before SQLite opens it.
  init(_ layout: ContainerLayout) throws(ContainerError) {
    self.layout = layout
    files = [
      File(
        kind: .directory, path: layout.directory, facts: try ContainerLayout.checkDirectory(layout.directory)),
      File(kind: .database, path: layout.database, facts: try layout.databaseFacts()),
    ]
  }

  /// The log and the index, which exist from the first read on.
  mutating func addLogAndIndex() throws(ContainerError) {
    for path in [layout.databaseLog, layout.databaseSharedMemory] {
      files.append(File(kind: .logOrIndex, path: path, facts: try FileFacts.at(path).get()))
    }
  }

  /// Throws if a path no longer leads to the opened file, or a file was shortened. A process that continued would
  /// guard one database while the other process guards another.
  mutating func check() throws(ContainerError) {
    for index in files.indices {
      let file = files[index]
      guard case .success(let now) = FileFacts.at(file.path), now.isSameFile(as: file.facts) else {
        throw file.kind == .logOrIndex ? .logReplaced(path: file.path) : .containerReplaced(path: file.path)
      }
      if file.kind == .directory { continue }
      // SQLite's open files only grow.
      guard now.size >= file.facts.size else { throw .cutShort(path: file.path) }
      files[index].facts.size = now.size
    }
  }

  /// Whether the log was unlinked and no new one created: its commits can still be saved.
  mutating func lacksOnlyTheLog() -> Bool {
    guard case .failure(.missing) = FileFacts.at(layout.databaseLog) else { return false }
    let all = files
    defer { files = all }
    files.removeAll { $0.path == layout.databaseLog }
    return (try? check()) != nil
  }
}
