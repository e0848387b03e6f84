import Glibc

/// A private directory for the copy of a database, removed with everything in it when it is let go.
final class ScratchDirectory {
  private let directory: String

  init() throws(ContainerError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(((parent.isEmpty ? "/tmp" : parent) + "/baton-snapshot-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else {
      throw ContainerError(
        errno: errno, path: parent.isEmpty ? "/tmp" : parent, doing: "making a directory in")
    }
    directory = String(cString: made)
  }

  deinit {
    for name in DirectoryListing.names(of: directory) ?? [] { unlink(directory + "/" + name) }
    rmdir(directory)
  }

  /// Where a file lies after `copy`.
  func path(of original: String) -> String {
    directory + "/" + (original.split(separator: "/").last.map(String.init) ?? "copy")
  }

  /// Copies a plain file; one that is not there is left out.
  func copy(_ original: String) throws(ContainerError) {
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
    try copyBytes(from: source, named: original, to: target)
  }

  private func copyBytes(from source: Int32, named original: String, to target: Int32) throws(ContainerError)
  {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return }
      if count < 0 {
        if errno == EINTR { continue }
        throw ContainerError(errno: errno, path: original, doing: "reading")
      }
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
