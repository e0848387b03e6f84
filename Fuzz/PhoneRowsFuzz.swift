@testable import DaemonRuntime
@testable import IOSd
@testable import Judge
@testable import PhonePolicy

/// iosd's three files of rows, read by iosd itself and by the judge.
enum PhoneRowsFuzz: FuzzTarget {
  static let name = "phone-rows"
  static let longestInput = 2048

  static var seeds: [[UInt8]] {
    let process = ProcessRow(
      id: 2, role: "extension", pid: 4711, startTime: 99, path: "/x", launchReason: "launched for push 3",
      startedWallNs: 5, startedAtNs: 6, endedWallNs: 7, endedAtNs: 8, how: "exited", number: 0)
    var push = PushRow(id: 3, isVisible: true, hasMutableContent: false, wallNs: 1, atNs: 2)
    push.take(.delivered, wall: 3, at: 4)
    var shown = NotificationRow(
      id: 1, push: 3, source: "content", title: "a", body: "b", badge: .min, wallNs: 1, atNs: 2)
    (shown.level, shown.isDisplayed, shown.key, shown.answer) = ("critical", false, "k", "OPEN")
    var badge = PushRow(
      id: 4, isVisible: false, hasMutableContent: true, isBadgeOrSound: true, wallNs: 1, atNs: 2)
    (badge.fate, badge.fateCode, badge.fateWallNs) = ("x", .applied, 3)
    (badge.appliedBadge, badge.appliedSound) = (5, "default")
    return [
      process.json, push.json, shown.json, badge.json, BadgeRow(badge: 5, wallNs: 1, atNs: 2).json,
    ].map { Array("\($0)\n\($0)\n".utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let processes = ProcessRow.rows(in: bytes)
    let pushes = PushRow.rows(in: bytes)
    let lines = BoardLine.rows(in: bytes)
    let shown = lines.compactMap(\.notification)
    let evidence = PhoneEvidence(
      pushes: written(pushes), notifications: written(lines), processes: written(processes))
    promise(evidence.pushes.count <= pushes.count, "the judge sees more pushes")
    promise(
      Set(evidence.pushes.map(\.id)) == Set(pushes.map { Int64(clamping: $0.id) }),
      "the judge sees other pushes")
    promise(evidence.processes.count == Set(processes.map(\.id)).count, "the judge sees other processes")
    _ = PhoneEvidence(pushes: bytes, notifications: bytes, processes: bytes)
    var board = NotificationBoard(lines)
    for key in shown.compactMap(\.key) { _ = board.withdraw(key: key, wall: 1, at: 2) }
    promise(board.badge >= 0, "a badge is below zero")
  }

  /// Rows encoded by iosd must be read as the same.
  private static func written<Row: Report & Equatable>(_ rows: [Row]) -> [UInt8] {
    let lines = rows.map(\.json)
    let bytes = Array(lines.joined(separator: "\n").utf8)
    promise(Row.rows(in: bytes) == rows, "rows do not round-trip: \(lines)")
    return bytes
  }
}
