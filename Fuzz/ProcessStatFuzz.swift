@testable import Platform

/// `/proc/PID/stat`, with a name that the process chooses.
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
    guard let status = Kernel.parse(stat: bytes) else { return }
    promise(!status.isStopped || !status.isDead, "a process is both stopped and dead")
    let named = Array("1 (".utf8) + bytes.filter { $0 != UInt8(ascii: ")") } + Array(") (x".utf8)
    let end = bytes.lastIndex(of: UInt8(ascii: ")")) ?? 0
    promise(
      Kernel.parse(stat: named + bytes[end...]) == status,
      "a process name shifts the fields after it")
  }
}
