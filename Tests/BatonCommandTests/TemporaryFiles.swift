extension TemporaryDirectory {
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
}
