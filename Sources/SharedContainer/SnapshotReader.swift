import CoreShape
import Database
import Guardrails
import Heartbeat

/// Reads everything that a container holds, in one read transaction. A row that makes no sense becomes a sentence
/// among the problems; the rest is still shown.
struct SnapshotReader {
  private let connection: Connection
  private let layout: ContainerLayout
  private let rowsPerTableMax: Int

  init(database: String, layout: ContainerLayout, access: Connection.Access, rowsPerTableMax: Int) throws {
    connection = try Connection(path: database, access: access)
    self.layout = layout
    self.rowsPerTableMax = max(0, rowsPerTableMax)
  }

  func read(isLive: Bool) throws -> Snapshot {
    try connection.transaction(.deferred) {
      let names = try tableNames()
      if names.isEmpty {
        try EarlierLife(of: layout).refuseNewDatabase()
        throw ContainerError.neverBegun(path: layout.database)
      }
      guard ContainerSchema.guarded.isSubset(of: names) else {
        throw ContainerError.notAContainer(path: layout.directory, because: "as its database has no claims")
      }
      var problems = layout.damage().map(\.description) + damagedPages()
      let heartbeat = HeartbeatFile(path: layout.heartbeat)
      let locks = KernelLocks.read() ?? []
      return Snapshot(
        directory: layout.directory, isLive: isLive, schemaVersion: try connection.schemaVersion(),
        container: noting(&problems) { try ClaimTable(connection: connection).containerID() } ?? nil,
        meta: try connection.rows("SELECT key, value FROM meta ORDER BY key"),
        claims: try claims(&problems), writes: try writes(&problems),
        appBeat: heartbeat.read(.app), extensionBeat: heartbeat.read(.extension),
        appLock: lockFacts(layout.roleLock(of: .app), locks),
        extensionLock: lockFacts(layout.roleLock(of: .extension), locks),
        appWish: lockFacts(layout.appWish, locks), writer: BlockedBy.find(in: layout, among: locks),
        tables: names.compactMap { name in noting(&problems) { try contents(of: name) } },
        problems: problems)
    }
  }

  /// SQLite's own look at every page, which costs milliseconds at the size of a wallet.
  private func damagedPages() -> [String] {
    do {
      let words = try connection.rows("PRAGMA quick_check(3)").map { try $0.text(0) }.filter { $0 != "ok" }
      return words.map { ContainerError.corrupt(path: layout.database, because: $0).description }
    } catch { return [sentence(error)] }
  }

  private func tableNames() throws -> [String] {
    try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map {
      try $0.text(0)
    }
  }

  private func claims(_ problems: inout [String]) throws -> [ClaimRecord] {
    var records: [ClaimRecord] = []
    var sentences: [String] = []
    try ClaimTable(connection: connection).forEachRecord { row in
      do { records.append(try ClaimTable.record(row)) } catch { sentences.append(sentence(error)) }
    }
    problems += sentences
    return records
  }

  private func writes(_ problems: inout [String]) throws -> NodeWrites {
    let count = try connection.firstRow("SELECT count(*) FROM node_writes")?.integer(0) ?? 0
    let last = try connection.firstRow(
      "SELECT id, epoch, incarnation, what, at_mono_ns FROM node_writes ORDER BY id DESC LIMIT 1")
    let write = noting(&problems) {
      try last.map { row in
        NodeWrite(
          id: try row.integer(0), epoch: try row.unsigned(1), incarnation: try row.bits(2),
          what: try row.text(3),
          atMonotonic: Instant(nanoseconds: try row.integer(4)))
      }
    }
    return NodeWrites(count: count, last: write ?? nil)
  }

  private func contents(of name: String) throws -> TableContents {
    let quoted =
      "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    let count = try connection.firstRow("SELECT count(*) FROM \(quoted)")?.integer(0) ?? 0
    let limit = Int64(rowsPerTableMax)
    return TableContents(
      name: name,
      columns: try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(name)]).map {
        try $0.text(0)
      },
      rowCount: count,
      rows: try connection.rows(
        "SELECT * FROM \(quoted) LIMIT ? OFFSET ?", [.integer(limit), .integer(max(0, count - limit))]))
  }

  private func lockFacts(_ path: String, _ locks: [KernelLock]) -> LockFacts {
    let facts = try? FileFacts.at(path).get()
    let held = locks.filter { $0.kind == "FLOCK" && $0.isExclusive }
    let ours = layout.lockFiles.compactMap { try? FileFacts.at($0).get() }
    return LockFacts(
      path: path, exists: facts != nil,
      holders: held.filter { lock in facts.map(lock.isOn) == true }.map(\.pid),
      strays: held.filter { lock in !ours.contains { lock.isOn($0) } }.map(\.pid))
  }

  private func noting<Value>(_ problems: inout [String], _ body: () throws -> Value) -> Value? {
    do { return try body() } catch {
      problems.append(sentence(error))
      return nil
    }
  }

  /// The path of a scratch copy would tell nobody anything.
  private func sentence(_ error: any Error) -> String {
    ContainerError(error, path: layout.database).description
  }
}
