import Ground
import DaemonRuntime

@testable import Baton
@testable import IOSd
@testable import PhonePolicy

/// An app's messages about tasks and audio as iosd reads them, with the phone's reaction; and the rows of tasks.
enum BackgroundMessageFuzz: FuzzTarget {
  static let name = "background-message"
  static let longestInput = 1024

  static var seeds: [[UInt8]] {
    let messages = [
      ControlMessage(
        "task-submit",
        [
          "identifier": sync, "kind": "processing", "earliest-seconds": "14400", "requires-network": "yes",
          "requires-external-power": "no",
        ]),
      ControlMessage("task-submit", ["identifier": sync, "kind": "refresh"]),
      ControlMessage("task-cancel", ["identifier": sync]),
      ControlMessage("task-done", ["identifier": sync, "run": "1", "success": "no"]),
      ControlMessage(
        "audio-start",
        [
          "volume": "0.01", "mixes": "yes", "loops": "-1", "rate": "44100", "channels": "1",
          "frames": "44100",
        ]),
      ControlMessage("audio-stop"),
    ]
    let request = TaskRequest(
      identifier: sync, kind: .refresh, earliest: .zero, requiresNetwork: false, requiresExternalPower: true)
    var row = TaskRow(id: 1, of: request, wall: 1, at: 2, earliestAt: 3)
    (row.state, row.why, row.launchedAtNs, row.endedAtNs) = ("completed", "so", 4, 5)
    (row.isSuccess, row.isByHand, row.refusedCompletions) = (true, true, 1)
    return messages.compactMap { try? $0.encoded() } + [Array(row.json.utf8)]
  }

  private static let sync = "com.example.lightning.sync"

  static func feed(_ bytes: [UInt8]) {
    feedRow(bytes)
    guard let message = try? ControlMessage(decoding: bytes) else { return }
    var phone = PhonePolicy.Phone(configuration: configuration)
    var now = Instant(nanoseconds: 1)
    for event in [.userOpened, .processStarted(.app, pid: 1)] as [PhoneEvent] {
      _ = phone.handle(event, at: now)
    }
    do throws(ControlMessageError) {
      if let event = try TaskMessages.event(of: message) { _ = phone.handle(.task(event), at: now) }
      if let event = try AudioMessages.event(of: message) { _ = phone.handle(.audio(event), at: now) }
    } catch { promiseOneLine(error.description) }
    _ = phone.handle(.userWentHome, at: now)
    for _ in 0..<8 {
      guard let deadline = phone.deadline else { break }
      promise(deadline > now, "the phone's deadline is in the past")
      now = deadline
      _ = phone.handle(.deadlineReached, at: now)
    }
  }

  private static var configuration: PhoneConfiguration {
    var configuration = PhoneConfiguration()
    configuration.hasAudioMode = true
    return configuration
  }

  private static func feedRow(_ bytes: [UInt8]) {
    guard let row = TaskRow(json: bytes) else { return }
    for now in [Int64.min, 0, .max] {
      for line in Output.lines(of: [row.cells(now: Instant(nanoseconds: now))]) { promiseOneLine(line) }
    }
    promise(TaskRow(json: row.json.utf8) == row, "a row does not round-trip")
  }
}
