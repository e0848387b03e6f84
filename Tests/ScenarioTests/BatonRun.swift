import Baton
import Foundation
import Glibc

/// `baton run` in its own directory.
final class BatonRun {
  static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  private let place = TemporaryDirectory()
  private var process: Process?

  var directory: String { place.path }
  func path(_ name: String) -> String { place(name) }

  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }

  func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

  var said: String { text("said") }

  @discardableResult func start(_ arguments: [String]) throws -> pid_t {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(Self.programs)/baton")
    process.arguments = ["run"] + arguments
    _ = FileManager.default.createFile(atPath: path("said"), contents: nil)
    let output = FileHandle(forWritingAtPath: path("said"))
    process.standardOutput = output
    process.standardError = output
    try process.start()
    self.process = process
    return process.processIdentifier
  }

  var isRunning: Bool { process?.isRunning ?? false }

  /// The exit code.
  func end() -> Int32 {
    process?.waitUntilExit()
    return process?.terminationStatus ?? -1
  }

  func run(_ arguments: String...) throws -> Int32 {
    try start(arguments)
    return end()
  }

  func wait(_ what: String, _ condition: () -> Bool) throws {
    do { try Wait.until(what, condition) } catch { throw Wait.Failure(description: "\(error): \(said)") }
  }
}
