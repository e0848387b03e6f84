import Ground
import PhonePolicy

@testable import Baton

/// A row of iosd's processes, as `baton list processes` reads it from an answer or from the file.
enum ProcessFactsFuzz: FuzzTarget {
  static let name = "process-facts"
  static let longestInput = 1024

  static var seeds: [[UInt8]] { PhoneRowsFuzz.seeds.map { Array($0.prefix { $0 != 10 }) } }

  static func feed(_ bytes: [UInt8]) {
    guard let row = ProcessRow(json: bytes) else { return }
    let facts = ProcessFacts(row)
    for now in [Int64.min, 0, .max] {
      for line in Output.lines(of: [facts.cells(now: Instant(nanoseconds: now))]) { promiseOneLine(line) }
    }
    promise(
      ProcessRow(json: facts.json.utf8) == facts.second,
      "a row does not round-trip")
  }
}
