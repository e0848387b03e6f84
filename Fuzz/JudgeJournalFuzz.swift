@testable import Judge

/// A journal as the judge reads it, which must not stumble over what a killed process left.
enum JudgeJournalFuzz: FuzzTarget {
  static let name = "judge-journal"
  static let longestInput = 4096

  static var seeds: [[UInt8]] { JournalSamples.all }

  static func feed(_ bytes: [UInt8]) {
    guard let journal = JournalFile(path: "/x/fuzz.jsonl", bytes: bytes, until: nil) else { return }
    promise(journal.records.first?.kind == "start", "a journal does not begin with its start")
    for record in journal.records { _ = record.event.leaves }
    _ = journal.isComplete
    for core in ["guard", "peer", "node"] {
      _ = journal.events(of: core).count + journal.configurations(of: core).count
    }
    for offset in stride(from: 0, to: bytes.count, by: 64) {
      promise(journal.record(atByte: offset).map { $0.line > 0 } ?? true, "a record has no line")
    }
  }
}
