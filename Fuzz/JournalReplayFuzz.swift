@testable import Baton

/// A whole journal, replayed through the cores, which must not trap.
enum JournalReplayFuzz: FuzzTarget {
  static let name = "journal-replay"
  static let longestInput = 8192

  static var seeds: [[UInt8]] { JournalSamples.all }

  static func feed(_ bytes: [UInt8]) {
    let reader = JournalReader(name: "fuzz", bytes: bytes)
    guard let sentence = try? JournalReplay.run(reader).sentence else { return }
    promiseOneLine(sentence)
  }
}
