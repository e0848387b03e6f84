import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A private directory for the copy of a database; removed with its content on deinit.
final class ScratchDirectory {
  let directory: String
  let parent: String

  init() throws(ContainerError) {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    parent = named.isEmpty ? "/tmp" : named
    var template = Array((parent + "/baton-snapshot-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw .noPlaceForCopy(path: parent, errno: errno) }
    directory = String(cString: made)
  }

  deinit {
    for name in Kernel.names(of: directory) ?? [] { unlink(directory + "/" + name) }
    rmdir(directory)
  }

  /// The path of a file's copy.
  func path(of original: String) -> String {
    directory + "/" + (original.split(separator: "/").last.map(String.init) ?? "copy")
  }

  /// The free space for this user; nil where the system does not report it.
  var freeBytes: Int64? {
    var facts = statvfs()
    guard statvfs(directory, &facts) == 0 else { return nil }
    let (bytes, overflowed) = Int64(clamping: facts.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: facts.f_frsize))
    return overflowed ? nil : bytes
  }

  /// Copies a plain file with its size from a moment ago; a missing one is skipped.
  func copy(_ original: String, size: Int64) throws(ContainerError) {
    let source = open(original, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard source >= 0 else {
      if errno == ENOENT { return }
      throw ContainerError(errno: errno, path: original, doing: "opening")
    }
    defer { close(source) }
    guard FileFacts.of(descriptor: source)?.isPlainFile == true else {
      throw .notAPlainFile(path: original, because: "as it is not a plain file")
    }
    let target = open(path(of: original), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw ContainerError(errno: errno, path: path(of: original), doing: "creating") }
    defer { close(target) }
    try copyBytes(from: source, named: original, to: target, bytesMax: size)
  }

  private func copyBytes(
    from source: Int32, named original: String, to target: Int32, bytesMax: Int64
  ) throws(ContainerError) {
    var left = bytesMax
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return }
      if count < 0 {
        if errno == EINTR { continue }
        throw ContainerError(errno: errno, path: original, doing: "reading")
      }
      left -= Int64(count)
      if left < 0 { throw .keepsChanging(path: original) }
      var start = 0
      while start < count {
        let written = buffer[start..<count].withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { throw ContainerError(errno: errno, path: directory, doing: "writing to") }
        start += written
      }
    }
  }
}
