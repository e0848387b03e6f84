/// A foreign program that listens at a daemon's path.
final class Listener {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  var pid: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  init(at path: String, as user: UInt32 = getuid()) throws {
    process.executableURL = URL(fileURLWithPath: "\(Started.directory)/TestForeignProcess")
    process.arguments = ["listen-as", "\(user)", path]
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n" else {
      throw Wait.Failure(description: "no program listens on \(path)")
    }
  }

  /// Ends the program and returns all messages that it received.
  func heard() -> String {
    try? input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  deinit { if process.isRunning { _ = heard() } }
}
