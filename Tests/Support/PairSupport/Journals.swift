import Foundation
import WaitingTests
import Testing

/// The journals that real processes leave behind.
package enum Journals {
  /// Replays each journal: the cores must give the recorded directives byte for byte.
  package static func replay(of home: String) {
    let directory = "\(home)/journal"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    // A program that refused to start has no journal.
    if names.isEmpty { return }
    let replay = Process()
    replay.executableURL = URL(fileURLWithPath: "\(TestPhone.binaries)/baton")
    replay.arguments = ["replay"] + names.map { "\(directory)/\($0)" }
    let output = Pipe()
    replay.standardOutput = output
    replay.standardError = output
    do { try replay.start() } catch {
      Issue.record("baton replay cannot be run: \(error)")
      return
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    replay.waitUntilExit()
    #expect(replay.terminationStatus == 0, "\(text)")
  }
}
