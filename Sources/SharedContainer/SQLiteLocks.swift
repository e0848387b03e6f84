import Platform

/// Which bytes SQLite locks, by its file format (*WAL-mode File Format*, *The SQLite OS Interface*).
enum SQLiteLocks {
  static let sharedMemorySuffix = "-shm"
  /// Each connection to a database in WAL mode holds this byte of the shared memory for as long as it is open. Below it
  /// are the locks of writers, checkpoints and readers.
  private static let deadManSwitch: Int64 = 128
  /// SQLite locks a database here, and nowhere else.
  private static let databaseBytes = Int64(0x4000_0000)..<Int64(0x4000_0200)

  /// The kernel shows adjacent locks of one process as one, so a reader's lock may include the connection's.
  static func isOfOpenConnection(sharedMemory lock: KernelLock) -> Bool {
    lock.start == deadManSwitch && lock.end == deadManSwitch
  }

  static func isOnDatabase(_ lock: KernelLock) -> Bool {
    guard let end = lock.end else { return false }
    return databaseBytes.contains(lock.start) && databaseBytes.contains(end)
  }

  /// The header's read version is 2. In WAL mode each open connection holds a shared lock on the database.
  static func isInWALMode(_ path: String) -> Bool {
    FileFacts.firstBytes(of: path, count: 20)?.last == 2
  }
}
