import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The fields of `stat` that the container needs.
struct FileFacts: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  var mode: UInt32
  var owner: UInt32
  var links: UInt64
  var size: Int64
  var modifiedSeconds: Int64
  var modifiedNanoseconds: Int64
  var changedSeconds: Int64
  var changedNanoseconds: Int64

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    mode = UInt32(status.st_mode)
    owner = UInt32(status.st_uid)
    links = UInt64(status.st_nlink)
    size = Int64(status.st_size)
    let times = Kernel.times(of: status)
    modifiedSeconds = Int64(times.modified.tv_sec)
    modifiedNanoseconds = Int64(times.modified.tv_nsec)
    changedSeconds = Int64(times.changed.tv_sec)
    changedNanoseconds = Int64(times.changed.tv_nsec)
  }

  /// Of the path itself; a symbolic link is not followed.
  static func at(_ path: String) -> Result<FileFacts, ContainerError> {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      return .failure(ContainerError(errno: errno, path: path, doing: "looking at"))
    }
    // While a file is removed, as SQLite's journal is, Linux finds it without a name.
    if status.st_nlink == 0 { return .failure(.missing(path: path)) }
    return .success(FileFacts(status))
  }

  /// Nil if the file cannot be read or is shorter.
  static func firstBytes(of path: String, count: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, 0) == count ? bytes : nil
  }

  static func of(descriptor: Int32) -> FileFacts? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? FileFacts(status) : nil
  }

  var isPlainFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
  var permissions: UInt32 { mode & 0o7777 }

  func isSameFile(as other: FileFacts?) -> Bool { device == other?.device && inode == other?.inode }
}

extension KernelLock {
  func isOn(_ facts: FileFacts) -> Bool { isOn(device: facts.device, inode: facts.inode) }
}
