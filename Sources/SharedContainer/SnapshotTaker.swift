import Platform

/// Chooses how to read a container without disturbing any process, and retries when it changes.
struct SnapshotTaker {
  let layout: ContainerLayout
  let depth: SnapshotDepth
  var queries: [SnapshotQuery] = []
  private static let triesMax = 20
  var copiedBytesMax = DatabaseCopy.bytesMax
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
    // A container opened meanwhile is read as live.
    guard let copy = try DatabaseCopy(of: databaseFiles, bytesMax: copiedBytesMax, onCopied: onCopied),
      !isLive()
    else { throw ContainerError.keepsChanging(path: layout.directory) }
    let reader = try SnapshotReader(
      database: copy.path, layout: layout, access: .readWrite,
      depth: depth)
    return try reader.read(isLive: false, queries)
  }

  private var databaseFiles: [String] { [layout.database, layout.databaseLog, layout.databaseJournal] }

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
