@testable import Baton

@Suite(.waits) struct SoakReportTests {
  private static let before = SoakFigures(
    descriptors: 16, threads: 1, zombies: 0, anonymousBytes: 2_000_000, heapBytes: 700_000, timers: 0)

  private func problems(
    of rounds: Int = 1000, allowed: Int = 16, _ change: (inout SoakFigures) -> Void
  ) -> [String] {
    var after = Self.before
    change(&after)
    return Self.problems(of: rounds, allowed: allowed, Self.before, after)
  }

  private static func problems(
    of rounds: Int, allowed: Int, _ before: SoakFigures, _ after: SoakFigures
  ) -> [String] {
    SoakedProcess(
      process: "lspd", rounds: rounds, allowedBytesPerRound: allowed, before: before, after: after
    ).problems
  }

  @Test func `A process whose figures have not grown has no problem`() {
    expect(problems { _ in }, is: [])
    expect(problems { $0.heapBytes = 690_000 }, is: [])
  }

  @Test func `One descriptor, thread, zombie or timer more is reported`() {
    expect(problems { $0.descriptors += 1 }, is: ["lspd had 16 descriptors open and now has 17"])
    expect(problems { $0.threads += 1 }, is: ["lspd had 1 threads and now has 2"])
    expect(problems { $0.zombies += 1 }, is: ["lspd has 1 zombie children"])
    expect(problems { $0.timers = 1 }, is: ["lspd had 0 timers and now has 1"])
  }

  /// Swift's smallest object with one word has 24 bytes, for which the heap takes 32.
  @Test func `Heap growth above 32 bytes per round is reported`() {
    expect(problems { $0.heapBytes = 700_000 + 33 * 1000 }.count, is: 1)
    expect(problems { $0.heapBytes = 700_000 + 31 * 1000 }, is: [])
    expect(
      problems { $0.heapBytes = 700_000 + 48 * 1000 },
      is: ["lspd grew by 48 bytes of heap per round; 32 are allowed"])
  }

  @Test func `SQLite's memory may grow up to the size of its cache`() {
    var before = Self.before
    before.databaseBytes = 100_000
    var after = before
    after.databaseBytes = 400_000
    expect(Self.problems(of: 9, allowed: 0, before, after), is: [])
    after.databaseBytes = 500_000
    expect(
      Self.problems(of: 9, allowed: 0, before, after),
      is: ["lspd had 100000 bytes in SQLite and now has 500000"])
  }

  @Test func `Under a sanitizer growth of memory is not reported, growth of descriptors is`() {
    var before = Self.before
    before.heapBytes = 0
    var after = before
    after.anonymousBytes += 100_000_000
    after.descriptors += 1
    expect(
      Self.problems(of: 40, allowed: 16, before, after), is: ["lspd had 16 descriptors open and now has 17"])
  }

  /// Own wallet processes need not report their heap.
  @Test func `If a process reports no heap, the growth of its anonymous memory is limited`() {
    var before = Self.before
    before.heapBytes = nil
    var after = before
    after.anonymousBytes += 1_000_000
    expect(
      Self.problems(of: 1000, allowed: 256, before, after),
      is: ["lspd grew by 1000 bytes of memory per round; 780 are allowed"])
  }
}
