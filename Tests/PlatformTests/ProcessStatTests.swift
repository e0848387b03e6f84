import Testing

@testable import Platform

/// `/proc/PID/stat`.
@Suite struct ProcessStatTests {
  @Test func aNameFullOfParenthesesDoesNotShiftTheFields() throws {
    let tail = (5...22).map { "\($0 == 22 ? 777 : 0)" }.joined(separator: " ")
    let status = Kernel.parse(stat: Array("42 (a) R 1) (x) T 1 \(tail) 0".utf8))
    #expect(status?.state == UInt8(ascii: "T"))
    #expect(status?.startTime == 777)
  }

  @Test(arguments: ["", "1", "1 (x", "1 (x)", "1 (x) R", "1 (x) R 1 2 3"])
  func aShortLineIsNoStatus(_ line: String) {
    #expect(Kernel.parse(stat: Array(line.utf8)) == nil)
  }

  /// The field of the exit code is the last but two; a process that is stopped has the number of its signal there.
  @Test(arguments: [("S", "9", true), ("S", "0", false), ("T", "19", false), ("Z", "0", false)])
  func anExitCodeIsTheEndOfWhoeverIsNotStopped(_ state: String, code: String, isExiting: Bool) throws {
    let line = "42 (a) \(state) " + (4...52).map { $0 == 52 ? code : "0" }.joined(separator: " ")
    #expect(try #require(Kernel.parse(stat: Array(line.utf8))).isExiting == isExiting)
  }
}
