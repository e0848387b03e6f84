@testable import Baton

/// The lines of a journal in words, for `baton logs` and the stories.
enum JournalStoryFuzz: FuzzTarget {
  static let name = "journal-story"
  static let longestInput = 4096

  static var seeds: [[UInt8]] { JournalSamples.lines }

  static func feed(_ bytes: [UInt8]) {
    var narrator = JournalNarrator()
    var waits = NodeWaits()
    let reader = JournalReader(name: "fuzz", bytes: bytes + [10])
    while let line = try? reader.next() {
      let entry = JournalMerger.Entry(process: "mainappd", pid: 7, file: "fuzz", line: line)
      for sentence in narrator.sentences(for: entry) { promiseOneLine(sentence.text + ".") }
      _ = waits.ended(by: entry)
    }
  }
}
