import Glibc

/// The file system on which a path lies, and its free space.
struct StorageRoom {
  let device: UInt64
  let freeBytes: UInt64
  /// The file system has a size limit.
  let isBounded: Bool

  init?(of path: String) {
    var status = stat()
    var disk = statvfs()
    guard stat(path, &status) == 0, statvfs(path, &disk) == 0 else { return nil }
    device = UInt64(status.st_dev)
    let (free, overflowed) = UInt64(disk.f_bfree).multipliedReportingOverflow(
      by: UInt64(clamping: disk.f_frsize))
    freeBytes = overflowed ? .max : free
    // A tmpfs without a size reports 0 blocks.
    isBounded = disk.f_blocks > 0
  }
}
