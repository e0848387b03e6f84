import Glibc

/// One test's own directory, removed afterwards with its files.
final class Place {
  let path: String

  init() {
    var template = Array("/tmp/baton-platform-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit {
    for name in ["a", "b", ".hidden", "file", "link"] { unlink("\(path)/\(name)") }
    for name in ["new/in", "new", "open"] { rmdir("\(path)/\(name)") }
    rmdir(path)
  }

  func write(_ name: String) { close(open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
}
