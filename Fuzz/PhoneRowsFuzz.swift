import Foundation

@testable import DaemonRuntime
@testable import IOSd
@testable import Judge

/// The three files of rows that iosd keeps, read by iosd itself and by the judge.
enum PhoneRowsFuzz: FuzzTarget {
  static let name = "phone-rows"
  static let longestInput = 2048

  static var seeds: [[UInt8]] {
    let encoder = JSONLineEncoder()
    let process = ProcessRow(
      id: 2, role: "extension", pid: 4711, startTime: 99, path: "/x", launchReason: "launched for push 3",
      startedWall: 5, startedAt: 6, endedWall: 7, endedAt: 8, how: "exited", number: 0)
    let push = PushRow(id: 3, isVisible: true, hasMutableContent: false, wall: 1, at: 2)
    let shown = NotificationRow(
      id: 1, push: 3, source: "content", title: "a", body: "b", badge: .min, wall: 1, at: 2, key: "k")
    return [try? encoder.encode(process), try? encoder.encode(push), try? encoder.encode(shown)].compactMap {
      $0.map { Array("\($0)\n\($0)\n".utf8) }
    }
  }

  static func feed(_ bytes: [UInt8]) {
    let data = Data(bytes)
    let evidence = PhoneEvidence(pushes: bytes, notifications: bytes, processes: bytes)
    let processes = AppendLog<ProcessRow>.rows(in: data)
    check(processes)
    promise(Set(processes.map(\.id)).count <= evidence.processes.count, "the judge sees fewer processes")
    let pushes = AppendLog<PushRow>.rows(in: data)
    check(pushes)
    promise(pushes.count <= evidence.pushes.count, "the judge sees fewer pushes")
    let shown = AppendLog<NotificationRow>.rows(in: data)
    check(shown)
    var board = NotificationBoard(shown)
    for key in shown.compactMap(\.key) { _ = board.withdraw(key: key, wall: 1, at: 2) }
    promise(board.badge >= 0, "a badge is below zero")
  }

  private static func check<Row: Codable & Equatable>(_ rows: [Row]) {
    for row in rows {
      let line = (try? JSONLineEncoder().encode(row)) ?? ""
      promise(
        AppendLog<Row>.rows(in: Data(line.utf8)) == [row], "a row is not written as it is read: \(line)")
    }
  }
}
