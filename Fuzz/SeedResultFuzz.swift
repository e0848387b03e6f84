@testable import Baton

/// Result files from other hosts: complete, truncated, or of another campaign.
enum SeedResultFuzz: FuzzTarget {
  static let name = "seed-result"
  static let longestInput = 2048

  static var seeds: [[UInt8]] {
    let sound = SeedResult(
      seed: 17, options: "", verdict: .sound, simulatedMs: 0, events: 0, payments: 0, paid: 0, faults: 0,
      storySHA256: String(repeating: "0f", count: 32))
    var broken = sound
    broken.seed = 18
    broken.verdict = .broken
    broken.sentence = "Two processes drive the node."
    var other = sound
    other.options = "--peer legacy"
    return [[sound, broken], [sound, sound], [sound, other]].map { results in
      Array(results.map { $0.line + "\n" }.joined().utf8)
    }
  }

  static func feed(_ bytes: [UInt8]) {
    if let result = SeedResult(line: bytes) {
      promise(Array(result.line.utf8) == bytes, "a result does not round-trip")
    }
    var merge = ResultMerge()
    do throws(CommandFailure) {
      try merge.add(bytes, named: "a\nfile")
    } catch { return promiseOneLine(error.sentence) }
    let results = merge.results(of: nil)
    let range = SeedRange(0, 99)
    let missing = merge.missing(of: range, atMost: 7)
    promise(missing.allSatisfy { $0.count <= 7 }, "a part is too large")
    let isThere = UInt64(merge.results(of: range).count)
    promise(
      missing.reduce(0) { $0 + $1.count } + isThere == range.count, "a seed is neither there nor missing")
    do throws(CommandFailure) {
      try merge.add(bytes, named: "again")
    } catch { promise(false, "a file accepted once is refused the second time: \(error.sentence)") }
    promise(merge.results(of: nil) == results, "a duplicate file changes the results")
  }
}
