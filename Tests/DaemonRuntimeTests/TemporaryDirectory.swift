/// One test's own directory, removed with it.
final class TemporaryDirectory {
  let path: String

  init() {
    var template = Array("/tmp/baton-test-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template)!)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  var entries: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }
}

func text(ofFile path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

func makePipe(nonblocking: Bool) -> (reader: Int32, writer: Int32) {
  var ends: [Int32] = [0, 0]
  precondition(pipe(&ends) == 0)
  for end in ends {
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    if nonblocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }
  return (ends[0], ends[1])
}
