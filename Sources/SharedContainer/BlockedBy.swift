// The process inside a write transaction, where the kernel's lock list shows it. For users only; no decision depends
// on it.

import Platform

/// The process that holds SQLite's write lock.
public struct BlockedBy: Hashable, Sendable, CustomStringConvertible {
  public var pid: Int32
  /// Stopped (SIGSTOP, a debugger): it will not finish its transaction before it is continued or killed.
  public var isStopped: Bool

  public var description: String { "process \(pid) is \(isStopped ? "stopped " : "")inside a transaction" }

  // Byte 120 of the shared-memory file is the write lock of a database with a write-ahead log; the two bytes
  // after the first GiB of the database itself are the pending and reserved locks of one without.
  private static let logWriteByte: Int64 = 120
  private static let pendingByte: Int64 = 1_073_741_824

  /// nil if no process is found, or without the kernel's list. The files are never opened: closing one would drop
  /// SQLite's own locks.
  static func find(in layout: ContainerLayout) -> BlockedBy? {
    guard let locks = Kernel.locks() else { return nil }
    return find(in: layout, among: locks)
  }

  static func find(in layout: ContainerLayout, among locks: [KernelLock]) -> BlockedBy? {
    let sharedMemory = try? FileFacts.at(layout.databaseSharedMemory).get()
    let database = try? FileFacts.at(layout.database).get()
    for lock in locks where lock.kind == "POSIX" && lock.isExclusive {
      if let sharedMemory, lock.isOn(sharedMemory), lock.covers(logWriteByte) { return holder(lock.pid) }
      if let database, lock.isOn(database), lock.covers(pendingByte) || lock.covers(pendingByte + 1) {
        return holder(lock.pid)
      }
    }
    return nil
  }

  private static func holder(_ pid: Int32) -> BlockedBy { BlockedBy(pid: pid, isStopped: isStopped(pid)) }

  static func isStopped(_ pid: Int32) -> Bool { Kernel.processStatus(of: pid)?.isStopped ?? false }
}
