import Glibc

/// Which databases are in use, without opening them: a user of a database holds SQLite's locks on its inodes, and the
/// kernel lists those.
enum LiveFiles {
  static func isInUse(_ database: String) -> Bool {
    let inodes = lockedInodes()
    return [database, database + "-wal", database + "-shm", database + "-journal"].contains { path in
      FileStamp(path).map { inodes.contains($0.inode) } ?? false
    }
  }

  /// By inode alone: some file systems have another device in the kernel's list than in `stat`, and a file wrongly
  /// taken for live is merely read through SQLite.
  private static func lockedInodes() -> Set<UInt64> {
    lockedInodes(in: EvidenceFile.ofKernel("/proc/locks"))
  }

  static func lockedInodes(in text: String) -> Set<UInt64> {
    var inodes: Set<UInt64> = []
    for line in text.split(separator: "\n") {
      for word in line.split(separator: " ") where word.filter({ $0 == ":" }).count == 2 {
        if let last = word.split(separator: ":").last, let inode = UInt64(last) { inodes.insert(inode) }
      }
    }
    return inodes
  }
}

/// `stat` of a file: any change means that the file was written.
struct FileStamp: Hashable {
  let inode: UInt64
  let size: Int64
  let modifiedNanoseconds: Int64
  let changedNanoseconds: Int64

  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    inode = UInt64(facts.st_ino)
    size = Int64(facts.st_size)
    modifiedNanoseconds =
      Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
    changedNanoseconds =
      Int64(facts.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_ctim.tv_nsec)
  }
}
