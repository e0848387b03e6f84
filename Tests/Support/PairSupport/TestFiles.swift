import DaemonRuntime
import Foundation
import Ground
import ProcessSupport
import TestKit

/// A test's files, and programs whose output is one of them.
extension TemporaryDirectory {
  /// Starts a program of the project by name, or any other by path, with all its output in one file.
  package func start(_ program: String, _ arguments: [String], into name: String = "said") throws -> Started {
    let output = open(write(name, ""), O_WRONLY | O_CLOEXEC)
    defer { close(output) }
    return try Started(program, arguments, output: output, errors: output)
  }

  @discardableResult package func write(_ name: String, _ text: String) -> String {
    let file = self(name)
    try? FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try? Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  package func append(_ name: String, _ text: String) {
    guard let handle = FileHandle(forWritingAtPath: self(name)) else { return }
    handle.seekToEndOfFile()
    handle.write(Data(text.utf8))
    handle.closeFile()
  }

  package func text(_ name: String) -> String {
    (try? String(contentsOfFile: self(name), encoding: .utf8)) ?? ""
  }
}
