import Platform

/// Chooses how to read a container without disturbing any process, and retries when it changes.
struct SnapshotTaker {
  let layout: ContainerLayout
  let depth: SnapshotDepth
  var queries: [SnapshotQuery] = []
  private static let triesMax = 20
  var copiedBytesMax = DatabaseCopy.bytesMax
  /// A longer log is copied with the database: SQLite would index all of it in memory at each read.
  var logReadBytesMax: Int64 = 64 << 20
  /// Between reading or copying and comparing; a test changes the original here.
  var onRead: () -> Void = {}

  func take() throws(ContainerError) -> Snapshot {
    try checkIsContainer()
    var lastError = ContainerError.keepsChanging(path: layout.directory)
    for attempt in 0..<Self.triesMax {
      if attempt > 0 { Kernel.pause(milliseconds: 5) }
      do {
        return try isLive() ? takeLive() : takeAlone() ?? takeCopy()
      } catch {
        let translated = ContainerError(error, path: layout.database)
        switch translated {
        case .blocked(let path, _):
          lastError = .blocked(path: path, by: BlockedBy.find(in: layout))
          // A stopped process does not finish its recovery of the log while we wait.
          if case .blocked(_, let holder?) = lastError, holder.isStopped { throw lastError }
        case .keepsChanging: lastError = translated
        // The last process has just closed the database, or the first has not made the log's index yet.
        case .readOnly: lastError = translated
        case .database(let error) where error.kind == .cannotOpen: lastError = translated
        default: throw translated
        }
      }
    }
    throw lastError
  }

  /// Only SQLite opens a live database: in a process that also uses it through SQLite, closing any other descriptor of
  /// it would drop SQLite's locks.
  private func takeLive() throws -> Snapshot {
    do {
      return try read(.untouched, isLive: true)
    } catch {
      // Locks are held, but no process has the database open: then SQLite refuses to read the log without an index.
      if let snapshot = try takeAlone(isLive: true) { return snapshot }
      // Without the kernel's list no container is known to be unused.
      guard Kernel.locks() == nil else { throw error }
      return try read(.readOnly, isLive: true)
    }
  }

  /// Without the time of the last change of a file's attributes: as root SQLite gives the log the database's owner at
  /// each opening, also the same one.
  private func writtenFacts() -> [FileFacts?] {
    databaseFiles.map { path in
      guard var facts = try? FileFacts.at(path).get() else { return nil }
      (facts.changedSeconds, facts.changedNanoseconds) = (0, 0)
      return facts
    }
  }

  private func read(_ access: Connection.Access, isLive: Bool) throws -> Snapshot {
    try SnapshotReader(database: layout.database, layout: layout, access: access, depth: depth)
      .read(isLive: isLive, queries)
  }

  /// Reads in place a database that no process has open: its size costs nothing. Nil if only a copy can be read.
  private func takeAlone(isLive expectsLive: Bool = false) throws -> Snapshot? {
    guard Kernel.locks() != nil, !isOpen() else { return nil }
    let before = writtenFacts()
    // SQLite would roll back an interrupted transaction of another journal mode.
    guard before[2] == nil, (before[1]?.size ?? 0) <= logReadBytesMax else { return nil }
    let hasLog = (before[1]?.size ?? 0) > 0
    let result = Result { try read(.alone(hasLog: hasLog), isLive: expectsLive) }
    onRead()
    guard before == writtenFacts(), !isOpen(), isLive() == expectsLive else {
      throw ContainerError.keepsChanging(path: layout.directory)
    }
    return try result.get()
  }

  private func takeCopy() throws -> Snapshot {
    // A container opened meanwhile is read as live.
    guard let copy = try DatabaseCopy(of: databaseFiles, bytesMax: copiedBytesMax, onCopied: onRead),
      !isLive()
    else { throw ContainerError.keepsChanging(path: layout.directory) }
    let reader = try SnapshotReader(database: copy.path, layout: layout, access: .readWrite, depth: depth)
    return try reader.read(isLive: false, queries)
  }

  private var databaseFiles: [String] { [layout.database, layout.databaseLog, layout.databaseJournal] }

  /// Whether any process holds any lock on any file of the container. Without the kernel's list every container counts
  /// as live, which is always safe.
  private func isLive() -> Bool {
    isAnyLocked(databaseFiles + [layout.databaseSharedMemory] + layout.lockFiles)
  }

  /// Whether any process has the database open: in WAL mode a connection holds locks all the time.
  private func isOpen() -> Bool { isAnyLocked(databaseFiles + [layout.databaseSharedMemory]) }

  private func isAnyLocked(_ paths: [String]) -> Bool {
    guard let locks = Kernel.locks() else { return true }
    let files = paths.compactMap { try? FileFacts.at($0).get() }
    return locks.contains { lock in files.contains { lock.isOn($0) } }
  }

  private func checkIsContainer() throws(ContainerError) {
    // The `/.` follows a link to a container: reading through it is harmless.
    let directory: FileFacts
    do {
      directory = try FileFacts.at(layout.directory + "/.").get()
    } catch {
      switch error {
      case .missing: throw .missing(path: layout.directory)
      case .notADirectory: throw .isAFile(path: layout.directory)
      default: throw error
      }
    }
    guard directory.isDirectory else { throw .isAFile(path: layout.directory) }
    try EarlierUse(of: layout).refuseLostDatabase()
    let database: FileFacts
    do {
      database = try FileFacts.at(layout.database).get()
    } catch .missing {
      throw .notAContainer(path: layout.directory, because: "as it has no node.sqlite")
    }
    guard database.isPlainFile else {
      throw .notAContainer(path: layout.directory, because: "as its node.sqlite is not a plain file")
    }
  }
}

/// A copy of a database's files in a private directory, made without SQLite, which makes files beside a database that
/// it only reads. The directory is removed with this value.
package struct DatabaseCopy {
  /// A wallet has megabytes, even after years; a sparse file can claim any size.
  package static let bytesMax: Int64 = 1 << 30
  private static let triesMax = 20

  private let scratch: ScratchDirectory
  /// The copied database.
  let path: String
  package var directory: String { scratch.directory }

  /// The first of the files is the database. nil if one changed meanwhile: such a copy may mix two states.
  init?(of files: [String], bytesMax: Int64 = bytesMax, onCopied: () -> Void = {}) throws(ContainerError) {
    scratch = try ScratchDirectory()
    path = scratch.path(of: files.first ?? "")
    let before = Self.facts(files)
    try Self.refuseTooMuch(files, before, bytesMax: bytesMax, into: scratch)
    for (file, facts) in zip(files, before) {
      if let facts { try scratch.copy(file, size: facts.size) }
    }
    onCopied()
    guard before == Self.facts(files) else { return nil }
  }

  /// Of a small database that other processes may write to: copied again until it stays the same.
  package static func ofDatabase(_ path: String) throws(ContainerError) -> DatabaseCopy {
    for attempt in 0..<triesMax {
      if attempt > 0 { Kernel.pause(milliseconds: 5) }
      do {
        if let copy = try DatabaseCopy(of: [path, path + "-wal", path + "-journal"]) { return copy }
      } catch .keepsChanging {}
    }
    throw .keepsChanging(path: path)
  }

  /// Checked before any byte is copied.
  private static func refuseTooMuch(
    _ files: [String], _ facts: [FileFacts?], bytesMax: Int64, into scratch: ScratchDirectory
  ) throws(ContainerError) {
    for (path, facts) in zip(files, facts) {
      guard let size = facts?.size, size > bytesMax else { continue }
      throw .tooLargeToCopy(path: path, bytes: size, most: bytesMax)
    }
    let bytes = facts.reduce(0) { $0 + ($1?.size ?? 0) }
    if let free = scratch.freeBytes, bytes > free {
      throw .noRoomForCopy(path: scratch.parent, bytes: bytes, free: free)
    }
  }

  private static func facts(_ files: [String]) -> [FileFacts?] { files.map { try? FileFacts.at($0).get() } }
}
