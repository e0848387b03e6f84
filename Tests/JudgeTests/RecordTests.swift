import Foundation
import Testing

@testable import Judge
@testable import TestHomes

/// Records of announced payments that are gone. In the run the app has removed that of payment 1, and that of payment 2
/// is there.
@Suite("The judge and the records of announced payments")
struct RecordTests {
  private func findings(_ change: (SampleRun) throws -> Void) throws -> [String] {
    let run = try SampleStory.tellOfTelling()
    try change(run)
    return try Judge.verdict(home: run.home).findings.filter { $0.invariant == .nothingIsGone }.map(
      \.sentence)
  }

  private func words(_ hash: [UInt8]) -> String {
    "The record of the announced payment \(shortHex(hash)) was stored, but is gone"
  }

  private func empty(_ run: SampleRun) throws {
    try SampleStory.records(of: run).executeAll("DELETE FROM incoming")
  }

  /// Changes the lines of a program's journals.
  private func edit(_ run: SampleRun, _ program: String, _ change: (Substring) -> Substring?) throws {
    let journals = "\(run.home)/journal"
    for name in try FileManager.default.contentsOfDirectory(atPath: journals) where name.contains(program) {
      let lines = try String(contentsOfFile: "\(journals)/\(name)", encoding: .utf8).split(separator: "\n")
      try lines.compactMap(change).map { "\($0)\n" }.joined()
        .write(toFile: "\(journals)/\(name)", atomically: true, encoding: .utf8)
    }
  }

  /// The line stays, so that no number is missing.
  private func withoutRemoval(_ line: Substring) -> Substring {
    line.contains("\"incoming\"")
      ? Substring(line.replacing("\"core\":\"incoming\"", with: "\"core\":\"x\"")) : line
  }

  @Test func `A stored record that is gone without a removal by the app violates invariant 4`() throws {
    let (first, second) = (words(SampleStory.hashes[0]), words(SampleStory.missed))
    #expect(try findings { _ in } == [])
    #expect(try findings(empty) == [second])
    #expect(
      try findings { try FileManager.default.removeItem(atPath: "\($0.home)/AppGroup/incoming.sqlite") }
        == [second])
    #expect(try findings { try edit($0, "mainappd", withoutRemoval) } == [first])
  }

  @Test func `A removal counts without its answer, and only if it ended after the record was stored`() throws
  {
    // The app was killed between the removal and its answer.
    let unanswered = try findings { run in
      try edit(run, "mainappd") { $0.contains("{\"removed\"") ? withoutRemoval($0) : $0 }
    }
    #expect(unanswered == [])
    let earlier = try findings { run in
      let stamp = try NSRegularExpression(pattern: "\"t\":[0-9]+")
      try edit(run, "mainappd") { line in
        guard line.contains("\"core\":\"incoming\"") else { return line }
        let text = String(line)
        return stamp.stringByReplacingMatches(
          in: text, range: NSRange(text.startIndex..., in: text), withTemplate: "\"t\":5")[...]
      }
    }
    #expect(earlier == [words(SampleStory.hashes[0])])
  }

  @Test func `A record whose write was not answered is not demanded`() throws {
    #expect(try findings { try SampleStory.storeMore($0, 0..<1, isAnswered: false) } == [])
    #expect(try findings { try SampleStory.storeMore($0, 0..<1) }.count == 1)
  }

  @Test func `A record may give way to 256 newer ones, and not to 255`() throws {
    let missed = words(SampleStory.missed)
    // Those are gone as well.
    let few = try findings { run in
      try empty(run)
      try SampleStory.storeMore(run, 0..<255)
    }
    #expect(few.count == 256 && few.contains(missed))
    let many = try findings { run in
      try empty(run)
      try SampleStory.storeMore(run, 0..<256)
    }
    #expect(many.count == 256 && !many.contains(missed))
  }

  @Test
  func `Beside a damaged store that was set aside, or with one that cannot be read, no record is demanded`()
    throws
  {
    for isSetAside in [true, false] {
      let run = try SampleStory.tellOfTelling()
      try empty(run)
      let path = "\(run.home)/AppGroup/incoming.sqlite" + (isSetAside ? ".damaged-1" : "")
      try Data("no database, but longer than the header of one".utf8).write(to: URL(fileURLWithPath: path))
      let verdict = try Judge.verdict(home: run.home)
      #expect(verdict.findings.isEmpty)
      let words = isSetAside ? "was set aside as damaged" : "cannot be read, so its records are not judged"
      #expect(verdict.remarks.contains { $0.contains(words) }, "\(verdict.remarks)")
    }
  }

  @Test func `Records from before the restore of an old container are not demanded`() throws {
    let raised = try findings { run in
      try empty(run)
      try run.wallet.executeAll(
        "UPDATE claims SET reason = 'raised-above-peer', seen_epoch = 2 WHERE epoch = 3")
    }
    #expect(!raised.contains(words(SampleStory.missed)))
  }
}
