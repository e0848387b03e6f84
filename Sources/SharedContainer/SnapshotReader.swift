import Ground
import Guardrails
import Platform

/// Reads the whole container in one read transaction. An invalid row becomes a sentence among the problems; the rest
/// is still shown.
struct SnapshotReader {
  private let connection: Connection
  private let layout: ContainerLayout
  private let depth: SnapshotDepth

  init(database: String, layout: ContainerLayout, access: Connection.Access, depth: SnapshotDepth) throws {
    connection = try Connection(path: database, access: access)
    self.layout = layout
    self.depth = depth
  }

  func read(isLive: Bool, _ queries: [SnapshotQuery]) throws -> Snapshot {
    try connection.transaction(.deferred) {
      let names = try tableNames()
      if names.isEmpty {
        try EarlierUse(of: layout).refuseNewDatabase()
        throw ContainerError.neverBegun(path: layout.database)
      }
      guard ContainerSchema.guarded.isSubset(of: names) else {
        throw ContainerError.notAContainer(
          path: layout.directory, because: "as its database lacks the table meta, claims or node_writes")
      }
      var problems = layout.damage()
      let checksPages = try isEveryPageToBeChecked()
      if checksPages { problems += damagedPages() }
      let heartbeat = HeartbeatFile(path: layout.heartbeat)
      let locks = Kernel.locks() ?? []
      let users = users(among: locks)
      let records = try claims(&problems)
      var snapshot = Snapshot(
        directory: layout.directory, isLive: isLive, users: users,
        schemaVersion: try connection.schemaVersion(),
        container: noting(&problems) { try ClaimTable(connection: connection).containerID() } ?? nil,
        meta: try connection.rows("SELECT key, value FROM meta ORDER BY key"),
        claims: records.last, hasOlderClaims: records.hasOlder, writes: try writes(&problems),
        appBeat: heartbeat.read(.app), extensionBeat: heartbeat.read(.extension),
        hasHeartbeat: (try? FileFacts.at(layout.heartbeat).get()) != nil,
        damagedBeats: heartbeat.damagedSlots(), appLock: lockFacts(layout.roleLock(of: .app), locks, users),
        extensionLock: lockFacts(layout.roleLock(of: .extension), locks, users),
        appIntent: lockFacts(layout.appIntent, locks, users),
        writer: BlockedBy.find(in: layout, among: locks),
        tables: names.compactMap { name in noting(&problems) { try contents(of: name) } },
        problems: [], hasCheckedPages: checksPages, steps: 0)
      for query in queries where query.tables.isSubset(of: names) {
        if let answer = noting(&problems, { try contents(of: query) }) { snapshot.tables.append(answer) }
      }
      snapshot.problems = problems
      snapshot.steps = connection.steps
      return snapshot
    }
  }

  private func isEveryPageToBeChecked() throws -> Bool {
    if depth.isThorough || depth.checksIndexes { return true }
    let pages = try connection.firstRow("PRAGMA page_count")?.integer(0) ?? 0
    return pages <= SnapshotDepth.pagesMax
  }

  /// SQLite's own check of every page: milliseconds at the size of a young wallet.
  private func damagedPages() -> [ContainerError] {
    do {
      let check = depth.checksIndexes ? "PRAGMA integrity_check(3)" : "PRAGMA quick_check(3)"
      let words = try connection.rows(check).map { try $0.text(0) }.filter { $0 != "ok" }
      return words.map { ContainerError.corrupt(path: layout.database, because: $0) }
    } catch { return [here(error)] }
  }

  private func tableNames() throws -> [String] {
    try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map {
      try $0.text(0)
    }
  }

  private func claims(_ problems: inout [ContainerError]) throws -> (last: [ClaimRecord], hasOlder: Bool) {
    var records: [ClaimRecord] = []
    var damaged: [ContainerError] = []
    var count: Int64 = 0
    let limit = depth.claimsMax
    // One more than is shown, to know whether there are others.
    try ClaimTable(connection: connection).forEachRecordBackwards(limit: limit.map { $0 + 1 }) { row in
      count += 1
      if let limit, count > limit { return }
      do { records.append(try ClaimTable.record(row)) } catch { damaged.append(here(error)) }
    }
    problems += damaged.reversed()
    return (records.reversed(), limit.map { count > $0 } ?? false)
  }

  private func writes(_ problems: inout [ContainerError]) throws -> NodeWrites {
    let last = try connection.firstRow(
      "SELECT id, epoch, incarnation, what, at_mono_ns FROM node_writes ORDER BY id DESC LIMIT 1")
    let write = noting(&problems) {
      try last.map { row in
        NodeWrite(
          id: try row.integer(0), epoch: try row.unsigned(1), incarnation: try row.bits(2),
          what: try row.text(3), atMonotonic: Instant(nanoseconds: try row.integer(4)))
      }
    }
    return NodeWrites(count: (write ?? nil)?.id ?? 0, last: write ?? nil)
  }

  private func contents(of name: String) throws -> TableContents {
    let quoted =
      "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    return TableContents(
      name: name,
      columns: try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(name)]).map {
        try $0.text(0)
      },
      rowCount: try count(quoted), rows: try lastRows(of: quoted, named: name))
  }

  /// Counting visits each row, so it stops at the limit.
  private func count(_ quoted: String) throws -> RowCount {
    guard let most = depth.countedMax else {
      return RowCount(try connection.firstRow("SELECT count(*) FROM \(quoted)")?.integer(0) ?? 0)
    }
    let found = try connection.firstRow(
      "SELECT count(*) FROM (SELECT 1 FROM \(quoted) LIMIT ?)", [.integer(most + 1)])
    let number = try found?.integer(0) ?? 0
    return RowCount(min(number, most), isExact: number <= most)
  }

  /// The newest rows, from the end; a table without row numbers has its own order.
  private func lastRows(of quoted: String, named name: String) throws -> [Row] {
    guard let most = depth.rowsPerTableMax else { return try connection.rows("SELECT * FROM \(quoted)") }
    if most <= 0 { return [] }
    let limit = SQLValue.integer(Int64(most))
    let isPlain = try connection.rows("SELECT 1 FROM pragma_table_list(?) WHERE wr = 0", [.text(name)])
    if isPlain.isEmpty { return try connection.rows("SELECT * FROM \(quoted) LIMIT ?", [limit]) }
    return try connection.rows("SELECT * FROM \(quoted) ORDER BY rowid DESC LIMIT ?", [limit]).reversed()
  }

  private func contents(of query: SnapshotQuery) throws -> TableContents {
    let rows = try connection.rows(query.sql, query.values, rights: .reading)
    return TableContents(
      name: query.name, columns: rows.first?.columns ?? [], rowCount: RowCount(Int64(rows.count)), rows: rows)
  }

  /// A connection to a database in WAL mode holds a shared lock on it all the time.
  private func users(among locks: [KernelLock]) -> [Int32] {
    let files = [layout.database, layout.databaseSharedMemory].compactMap { try? FileFacts.at($0).get() }
    return locks.filter { lock in lock.kind != "FLOCK" && files.contains { lock.isOn($0) } }.map(\.pid)
  }

  private func lockFacts(_ path: String, _ locks: [KernelLock], _ users: [Int32]) -> LockFacts {
    let facts = try? FileFacts.at(path).get()
    let held = locks.filter { $0.kind == "FLOCK" && $0.isExclusive }
    let ours = layout.lockFiles.compactMap { try? FileFacts.at($0).get() }
    return LockFacts(
      path: path, exists: facts != nil,
      holders: held.filter { lock in facts.map(lock.isOn) == true }.map(\.pid),
      strays: held.filter { lock in users.contains(lock.pid) && !ours.contains { lock.isOn($0) } }.map(\.pid))
  }

  private func noting<Value>(_ problems: inout [ContainerError], _ body: () throws -> Value) -> Value? {
    do { return try body() } catch {
      problems.append(here(error))
      return nil
    }
  }

  /// With the container's path instead of the scratch copy's.
  private func here(_ error: any Error) -> ContainerError { ContainerError(error, path: layout.database) }
}

/// A number of rows, counted up to a limit: a history grows for years, and the cost of reading must not.
public struct RowCount: Hashable, Sendable {
  public var number: Int64
  /// False: there are more rows.
  public var isExact: Bool

  public init(_ number: Int64, isExact: Bool = true) {
    self.number = number
    self.isExact = isExact
  }
}
