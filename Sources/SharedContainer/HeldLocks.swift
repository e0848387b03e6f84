// What iOS looks at before it suspends a process: who is stopped with a lock on a file of a shared container is killed.

import Platform

/// The locks that a process holds in a container.
public enum HeldLocks {
  /// The files in and below a directory of which the process holds a lock that keeps others out, by name. A shared lock
  /// is none of these: each open connection to a database in WAL mode has one, all its life. Nil where the kernel's list
  /// cannot be read.
  public static func files(in directory: String, lockedBy pid: Int32) -> [String]? {
    guard let all = Kernel.locks() else { return nil }
    let locks = all.filter { $0.pid == pid && $0.isExclusive }
    if locks.isEmpty { return [] }
    return plainFiles(in: directory).filter { file in locks.contains { $0.isOn(file.facts) } }.map(\.name)
  }

  /// Two directories deep, which is more than a container has.
  private static func plainFiles(in directory: String, depth: Int = 0) -> [(name: String, facts: FileFacts)] {
    (Kernel.names(of: directory) ?? []).flatMap { name -> [(name: String, facts: FileFacts)] in
      guard case .success(let facts) = FileFacts.at("\(directory)/\(name)") else { return [] }
      guard facts.isDirectory else { return [(name, facts)] }
      if depth == 2 { return [] }
      return plainFiles(in: "\(directory)/\(name)", depth: depth + 1).map { ("\(name)/\($0.name)", $0.facts) }
    }
  }
}
