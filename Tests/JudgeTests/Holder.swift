import Foundation
import WaitingTests

/// Another process with an open database: the kernel reports locks by process.
final class Holder {
  private let process = Process()
  private let input = Pipe()

  private static var binaries: String {
    Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
      .path
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
  }

  init(_ database: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "\(Self.binaries)/TestReader")
    process.arguments = [database]
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    _ = output.fileHandleForReading.availableData
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
