import PhoneClient
import Foundation
import PairSupport

/// A program that is no daemon of a phone, and listens at a path where one should.
final class Listener {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  var pid: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  init(at path: String, as user: UInt32 = getuid()) throws {
    process.executableURL = URL(fileURLWithPath: "\(TestPhone.binaries)/TestForeignProcess")
    process.arguments = ["listen-as", "\(user)", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n" else {
      throw Wait.Failure(description: "no program listens on \(path)")
    }
  }

  /// All that was said to it. It has ended then.
  func heard() -> String {
    try? input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  deinit { if process.isRunning { _ = heard() } }
}
