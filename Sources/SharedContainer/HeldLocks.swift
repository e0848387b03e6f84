// The locks that iOS checks before it suspends a process: a process suspended with a lock in a shared container is
// killed.

import Platform

/// A lock of a process on a file of a container.
public struct HeldLock: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case exclusive
    case shared
    /// A SELECT that is not finished, on a database in WAL mode or with a rollback journal.
    case readTransaction
  }

  /// Below the container.
  public let file: String
  public let kind: Kind

  public var description: String {
    switch kind {
    case .exclusive: file
    case .shared: "\(file) (a shared lock)"
    case .readTransaction: "\(file) (an open read transaction)"
    }
  }
}

/// The locks that a process holds in a container.
public enum HeldLocks {
  /// Those in and below a directory, exclusive ones first; nil where the kernel's list cannot be read. Not counted is
  /// what each open connection to a database in WAL mode holds all the time.
  public static func all(in directory: String, heldBy pid: Int32) -> [HeldLock]? {
    guard let all = Kernel.locks() else { return nil }
    let locks = all.filter { $0.pid == pid }
    if locks.isEmpty { return [] }
    var exclusive: [HeldLock] = []
    var others: [HeldLock] = []
    for file in plainFiles(in: directory) {
      let held = locks.filter { $0.isOn(file.facts) }
      if held.contains(where: \.isExclusive) {
        exclusive.append(HeldLock(file: file.name, kind: .exclusive))
      } else if let lock = held.lazy.compactMap({ shared($0, on: file.name, in: directory) }).first {
        others.append(lock)
      }
    }
    return exclusive + others
  }

  private static func shared(_ lock: KernelLock, on file: String, in directory: String) -> HeldLock? {
    guard lock.kind != "FLOCK" else { return HeldLock(file: file, kind: .shared) }
    if file.hasSuffix(SQLiteLocks.sharedMemorySuffix) {
      guard !SQLiteLocks.isOfOpenConnection(sharedMemory: lock) else { return nil }
      return HeldLock(
        file: String(file.dropLast(SQLiteLocks.sharedMemorySuffix.count)), kind: .readTransaction)
    }
    guard SQLiteLocks.isOnDatabase(lock) else { return HeldLock(file: file, kind: .shared) }
    if SQLiteLocks.isInWALMode("\(directory)/\(file)") { return nil }
    return HeldLock(file: file, kind: .readTransaction)
  }

  /// Two directories deep: more than a container has.
  private static func plainFiles(in directory: String, depth: Int = 0) -> [(name: String, facts: FileFacts)] {
    (Kernel.names(of: directory) ?? []).flatMap { name -> [(name: String, facts: FileFacts)] in
      guard case .success(let facts) = FileFacts.at("\(directory)/\(name)") else { return [] }
      guard facts.isDirectory else { return [(name, facts)] }
      if depth == 2 { return [] }
      return plainFiles(in: "\(directory)/\(name)", depth: depth + 1).map { ("\(name)/\($0.name)", $0.facts) }
    }
  }
}

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
  static func isInWALMode(_ path: String) -> Bool { FileFacts.firstBytes(of: path, count: 20)?.last == 2 }
}
