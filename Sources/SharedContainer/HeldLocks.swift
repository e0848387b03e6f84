// Linux only. What iOS looks at before it suspends a process: who is stopped with a lock on a file of a shared
// container is killed.

import Glibc

/// The locks that a process holds in a container.
public enum HeldLocks {
  /// The files in and below a directory of which the process holds a lock that keeps others out, by name. A shared lock
  /// is none of these: each open connection to a database in WAL mode has one, all its life.
  public static func files(in directory: String, lockedBy pid: Int32) -> [String] {
    let locks = (KernelLocks.read() ?? []).filter { $0.pid == pid && $0.isExclusive }
    if locks.isEmpty { return [] }
    return names(in: directory).filter { name in
      guard case .success(let facts) = FileFacts.at("\(directory)/\(name)") else { return false }
      return locks.contains { $0.isOn(facts) }
    }
  }

  /// Plain files, two directories deep, which is more than a container has.
  private static func names(in directory: String, depth: Int = 0) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      if entry.pointee.d_type == UInt8(DT_DIR) {
        if depth < 2 {
          names += Self.names(in: "\(directory)/\(name)", depth: depth + 1).map { "\(name)/\($0)" }
        }
      } else {
        names.append(name)
      }
    }
    return names.sorted()
  }
}
