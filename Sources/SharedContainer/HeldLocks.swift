// The locks that iOS checks before it suspends a process: a process suspended with a lock in a shared container is
// killed.

import Platform

/// The locks that a process holds in a container.
public enum HeldLocks {
  /// The names of the files in and below a directory that the process locks exclusively. Shared locks do not count:
  /// each open connection to a database in WAL mode holds one all the time. nil where the kernel's list cannot be
  /// read.
  public static func files(in directory: String, lockedBy pid: Int32) -> [String]? {
    guard let all = Kernel.locks() else { return nil }
    let locks = all.filter { $0.pid == pid && $0.isExclusive }
    if locks.isEmpty { return [] }
    return plainFiles(in: directory).filter { file in locks.contains { $0.isOn(file.facts) } }.map(\.name)
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
