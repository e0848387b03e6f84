@testable import DaemonRuntime

/// `/proc/PID/status`, from which iosd enforces the memory limit.
enum MemoryStatusFuzz: FuzzTarget {
  static let name = "memory-status"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    ["Name:\ta\nVmRSS:\t   12000 kB\nRssAnon:\t    7000 kB\nRssFile:\t 5000 kB\nVmSwap:\t       8 kB\n"].map {
      Array($0.utf8)
    }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let figures = MemoryFigures(status: bytes) else { return }
    promise(figures.residentBytes.isMultiple(of: 1024), "memory is not counted in kilobytes")
  }
}
