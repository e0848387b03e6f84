import TestKit

@testable import Platform

/// `/proc/PID/stat`.
@Suite struct ProcessStatTests {
  @Test func `A process name with parentheses does not shift the fields`() throws {
    let tail = (5...22).map { "\($0 == 22 ? 777 : 0)" }.joined(separator: " ")
    let status = Kernel.parse(stat: Array("42 (a) R 1) (x) T 1 \(tail) 0".utf8))
    expect(status?.state, is: UInt8(ascii: "T"))
    expect(status?.startTime, is: 777)
  }

  @Test(arguments: ["", "1", "1 (x", "1 (x)", "1 (x) R", "1 (x) R 1 2 3"])
  func `A truncated line of /proc/PID/stat is refused`(_ line: String) {
    #expect(Kernel.parse(stat: Array(line.utf8)) == nil)
  }

  /// The last field is the exit code; a stopped process has its signal's number there, also while it is about to stop.
  @Test(arguments: [
    ("S", "9", true), ("S", "0", false), ("T", "19", false), ("R", "19", false), ("S", "22", false),
    ("S", "256", true), ("Z", "0", false),
  ])
  func `A process that has an exit code other than a stop signal is exiting`(
    _ state: String, code: String, isExiting: Bool
  ) throws {
    let line = "42 (a) \(state) " + (4...52).map { $0 == 52 ? code : "0" }.joined(separator: " ") + "\n"
    expect(try #require(Kernel.parse(stat: Array(line.utf8))).isExiting, is: isExiting)
  }
}
