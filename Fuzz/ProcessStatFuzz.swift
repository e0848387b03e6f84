@testable import DaemonRuntime
@testable import SharedContainer

/// `/proc/PID/stat`: the name of the process in it is its own choice.
enum ProcessStatFuzz: FuzzTarget {
  static let name = "process-stat"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    [
      "4711 (mainappd) T 1 4711 4711 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 410753 1 1 1",
      "1 (a) b) (c) S 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 18446744073709551615 1",
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let status = ProcessTable.parse(stat: bytes)
    let isStopped = BlockedBy.isStopped(stat: text(bytes))
    guard let status, bytes.allSatisfy({ $0 < 128 }) else { return }
    let saysStopped = status.state == UInt8(ascii: "T") || status.state == UInt8(ascii: "t")
    promise(saysStopped || !isStopped, "two readers disagree on whether a process is stopped")
  }
}
