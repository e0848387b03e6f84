@testable import Judge

/// A journal as the judge reads it, also truncated by a kill.
enum JudgeJournalFuzz: FuzzTarget {
  static let name = "judge-journal"
  static let longestInput = 4096

  static var seeds: [[UInt8]] { JournalSamples.all }

  static func feed(_ bytes: [UInt8]) {
    guard let journal = JournalFile(path: "/x/fuzz.jsonl", bytes: bytes, until: nil) else { return }
    promise(journal.start.kind == "start", "a journal does not begin with its start")
    promise(journal.gaps.allSatisfy { $0.count > 0 }, "a gap has no missing lines")
    for core in ["guard", "node", "phone"] {
      for record in journal.events(of: core) {
        promise(record.line > 0, "a record has no line")
      }
    }
  }
}
