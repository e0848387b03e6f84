import Platform

/// Chooses how to read a container without disturbing any process, and retries when it changes.
struct SnapshotTaker {
  let layout: ContainerLayout
  let depth: SnapshotDepth
  var queries: [SnapshotQuery] = []
  private static let triesMax = 20
  /// A wallet has megabytes, even after years; a sparse file can claim any size.
  var copiedBytesMax: Int64 = 1 << 30
  /// Between copying and comparing; a test changes the original here.
  var onCopied: () -> Void = {}

  func take() throws(ContainerError) -> Snapshot {
    try checkIsContainer()
    var lastError = ContainerError.keepsChanging(path: layout.directory)
    for attempt in 0..<Self.triesMax {
      if attempt > 0 { Kernel.pause(milliseconds: 5) }
      do {
        return try isLive() ? takeLive() : takeCopy()
      } catch {
        let translated = ContainerError(error, path: layout.database)
        switch translated {
        case .blocked, .keepsChanging: lastError = translated
        default: throw translated
        }
      }
    }
    if case .blocked(let path, _) = lastError { throw .blocked(path: path, by: BlockedBy.find(in: layout)) }
    throw lastError
  }

  /// Only SQLite opens a live database: in a process that also uses it through SQLite, closing any other descriptor of
  /// it would drop SQLite's locks.
  private func takeLive() throws -> Snapshot {
    let reader = try SnapshotReader(
      database: layout.database, layout: layout, access: .readOnly, depth: depth)
    return try reader.read(isLive: true, queries)
  }

  private func takeCopy() throws -> Snapshot {
    let scratch = try ScratchDirectory()
    let before = facts()
    try refuseTooMuch(before, into: scratch)
    for (path, facts) in zip(databaseFiles, before) {
      if let facts { try scratch.copy(path, size: facts.size) }
    }
    onCopied()
    // A copy made during a write may mix two states; a container opened meanwhile is read as live.
    guard before == facts(), !isLive() else { throw ContainerError.keepsChanging(path: layout.directory) }
    let reader = try SnapshotReader(
      database: scratch.path(of: layout.database), layout: layout, access: .readWrite,
      depth: depth)
    return try reader.read(isLive: false, queries)
  }

  /// Checked before any byte is copied.
  private func refuseTooMuch(_ facts: [FileFacts?], into scratch: ScratchDirectory) throws(ContainerError) {
    for (path, facts) in zip(databaseFiles, facts) {
      guard let size = facts?.size, size > copiedBytesMax else { continue }
      throw .tooLargeToCopy(path: path, bytes: size, most: copiedBytesMax)
    }
    let bytes = facts.reduce(0) { $0 + ($1?.size ?? 0) }
    if let free = scratch.freeBytes, bytes > free {
      throw .noRoomForCopy(path: scratch.parent, bytes: bytes, free: free)
    }
  }

  private var databaseFiles: [String] { [layout.database, layout.databaseLog, layout.databaseJournal] }

  private func facts() -> [FileFacts?] { databaseFiles.map { try? FileFacts.at($0).get() } }

  /// Whether any process holds any lock on any file of the container. Without the kernel's list every container counts
  /// as live, which is always safe.
  private func isLive() -> Bool {
    guard let locks = Kernel.locks() else { return true }
    let paths = databaseFiles + [layout.databaseSharedMemory] + layout.lockFiles
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
