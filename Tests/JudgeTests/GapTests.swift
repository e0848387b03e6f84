import Foundation
import Testing

@testable import Judge
@testable import TestHomes

/// A process whose disk was full skips journal records and counts them in its next one.
@Suite("Journal records lost to a full disk") struct GapTests {
  /// Removes lines from the app's first journal and counts them in the line behind them.
  private func lose(
    _ run: SampleRun, inJournal place: Int = 0, _ isLost: (String) -> Bool
  ) throws -> Int {
    try lose(run, in: run.journals[place], isLost)
  }

  private func lose(_ run: SampleRun, in journal: TestJournal, _ isLost: (String) -> Bool) throws -> Int {
    let path = "\(run.home)/journal/\(journal.name)"
    var kept: [String] = []
    var lost = 0
    var all = 0
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    if let torn = lines.last, !torn.hasSuffix("}"), lines.count > 1 {
      // The process lives long enough to write another line.
      let time = lines[lines.count - 2].split(separator: ",").dropFirst().prefix(2).joined(separator: ",")
      lines[lines.count - 1] = "{\"seq\":\(lines.count),\(time),\"kind\":\"note\",\"text\":\"room again\"}"
    }
    for line in lines {
      if isLost(line) {
        lost += 1
        all += 1
      } else {
        let note = "\"kind\":"
        let said = lost > 0 ? "\"lost_before\":\(lost),\(note)" : note
        kept.append(line.replacingOccurrences(of: note, with: said, range: line.range(of: note)))
        lost = 0
      }
    }
    try (kept.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    return all
  }

  private func verdict(_ run: SampleRun) throws -> Verdict { try Judge.verdict(home: run.home) }

  @Test
  func `A write or claim whose journal record was lost to a full disk breaks no invariant`() throws {
    for words in [["\"write\""], ["\"claim\""], ["claimed"], ["claim", "write"]] {
      for place in 0..<3 {
        let run = try SampleStory.tell()
        let count = try lose(run, inJournal: place) { line in words.contains { line.contains($0) } }
        let verdict = try verdict(run)
        #expect(verdict.findings == [], "\(words) \(place): \(verdict.text)")
        #expect(verdict.outcome == .sound)
        guard count > 0 else { continue }
        #expect(
          verdict.remarks.contains {
            $0.contains("lacks \(count) record") && $0.hasSuffix("its disk was full")
          })
      }
    }
  }

  @Test
  func `A write without journal record at another time than the lost records is reported`() throws {
    let run = try SampleStory.tell()
    #expect(try lose(run) { $0.contains("\"claimed\"") } == 1)
    try run.wallet.execute(
      "UPDATE node_writes SET at_mono_ns = at_mono_ns + \(SampleRun.hour) WHERE id = (SELECT max(id) FROM node_writes)"
    )
    #expect(try verdict(run).findings.contains { $0.sentence.contains("is not announced") })
  }

  @Test
  func `A killed process's last records may be missing if another journal has lost records too`() throws {
    for isNoted in [true, false] {
      let run = try SampleStory.tell()
      let path = "\(run.home)/journal/\(run.journals[1].name)"
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      let announced = try #require(lines.firstIndex { $0.contains("\"write\"") })
      try (lines[..<announced].joined(separator: "\n") + "\n").write(
        toFile: path, atomically: false, encoding: .utf8)
      if isNoted {
        #expect(
          try lose(run, in: run.phone) { $0.contains("serviceFinished") && $0.contains("\"push\":1") } == 1)
      }
      let verdict = try verdict(run)
      #expect(verdict.exitCode == (isNoted ? 0 : 74), "\(verdict.text)")
    }
  }

  @Test func `The remark on one lost record is in the singular`() throws {
    let run = try SampleStory.tell()
    #expect(try lose(run) { $0.contains("\"claimed\"") } == 1)
    #expect(try verdict(run).remarks.contains { $0.contains("lacks 1 record: ") })
  }
}
