/// A directory for one test, removed with it.
final class Scratch {
  let path: String

  init() {
    var template = Array("/tmp/baton-command-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  @discardableResult func write(_ name: String, _ text: String) -> String {
    let file = self(name)
    try? FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try? Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  func append(_ name: String, _ text: String) {
    guard let handle = FileHandle(forWritingAtPath: self(name)) else { return }
    handle.seekToEndOfFile()
    handle.write(Data(text.utf8))
    handle.closeFile()
  }

  func text(_ name: String) -> String { (try? String(contentsOfFile: self(name), encoding: .utf8)) ?? "" }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }
}
