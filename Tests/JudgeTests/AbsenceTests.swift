import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("Evidence that is missing") struct AbsenceTests {
  private func judged(
    without waived: Set<EvidencePart> = [], _ change: (SampleRun) throws -> Void
  ) throws -> Verdict {
    let run = try SampleStory.tell()
    try change(run)
    return try Judge.verdict(home: run.home, without: waived)
  }

  private func remove(_ path: String) -> (SampleRun) throws -> Void {
    { try FileManager.default.removeItem(atPath: "\($0.home)/\(path)") }
  }

  private func removeJournals(of program: String) -> (SampleRun) throws -> Void {
    { run in
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(run.home)/journal")
      where name.contains("-\(program)-") {
        try FileManager.default.removeItem(atPath: "\(run.home)/journal/\(name)")
      }
    }
  }

  @Test(
    "leads to no verdict, and the part and what to do are named",
    arguments: [
      ("lsp/ledger.sqlite", "peer's ledger", "peer"), ("os", "phone", "phone"),
      ("os/processes.jsonl", "phone", "phone"), ("os/pushes.jsonl", "phone", "phone"),
      ("os/notifications.jsonl", "phone", "phone"), ("journal", "journals of mainappd", "journals"),
    ])
  func files(path: String, part: String, kind: String) throws {
    let verdict = try judged(remove(path))
    #expect(verdict.findings == [], "\(verdict.text)")
    #expect(verdict.outcome == .noVerdict && verdict.exitCode == 74 && !verdict.passed)
    #expect(verdict.notJudged.contains(part) && !verdict.judged.contains(part))
    #expect(verdict.text.contains("Verdict: no verdict: "))
    #expect(verdict.text.contains("--without \(kind)"), "\(verdict.text)")
  }

  @Test(
    "is told for each program that ran and left no journal",
    arguments: ["mainappd", "notifyextd", "lspd", "iosd"])
  func journals(program: String) throws {
    let verdict = try judged(removeJournals(of: program))
    #expect(verdict.findings == [], "\(verdict.text)")
    #expect(verdict.exitCode == 74)
    #expect(verdict.missing.map(\.part) == ["journals of \(program)"])
  }

  @Test("is no loss when a person says that there is none: what is there is judged, and named")
  func waived() throws {
    for (part, path) in [
      (EvidencePart.peer, "lsp/ledger.sqlite"), (.phone, "os"), (.journals, "journal"),
    ] {
      let verdict = try judged(without: [part], remove(path))
      #expect(verdict.exitCode == 0 && verdict.missing == [], "\(verdict.text)")
      #expect(verdict.text.contains("as far as it was judged"))
      #expect(verdict.judged.contains("container"))
    }
    let container = try judged(without: Set(EvidencePart.allCases)) { run in
      for path in ["lsp/ledger.sqlite", "os", "journal"] { try remove(path)(run) }
    }
    #expect(container.exitCode == 0 && container.judged == ["container"])
  }

  @Test("does not hide what is broken in the rest of it")
  func stillBroken() throws {
    for path in ["lsp/ledger.sqlite", "os", "journal"] {
      let verdict = try judged { run in
        try remove(path)(run)
        try run.wallet.execute("UPDATE node_writes SET epoch = 2, incarnation = -2000000 WHERE id = 12")
      }
      #expect(verdict.exitCode == 2 && verdict.findings.contains { $0.invariant == 1 }, "\(verdict.text)")
      #expect(!verdict.missing.isEmpty)
    }
  }

  @Test(
    "is also what is there and says nothing: zeros, a link, a pipe, no row of a role that ran",
    arguments: ["zeros", "sparse", "link", "pipe", "other rows", "empty"])
  func absurd(kind: String) throws {
    let verdict = try judged { run in
      let path = "\(run.home)/os/processes.jsonl"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try FileManager.default.removeItem(atPath: path)
      switch kind {
      case "zeros": try Data(count: 4096).write(to: URL(fileURLWithPath: path))
      case "sparse":
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(truncate(path, 20 << 30) == 0)
      case "link": #expect(symlink("/dev/zero", path) == 0)
      case "pipe": #expect(mkfifo(path, 0o600) == 0)
      case "other rows":
        try text.replacing("\"role\":\"extension\"", with: "\"role\":\"stranger\"").write(
          toFile: path, atomically: false, encoding: .utf8)
      default: try Data().write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(verdict.findings == [] && verdict.exitCode == 74, "\(verdict.text)")
    #expect(Set(verdict.missing.map(\.part)) == ["phone"])
  }

  @Test("is a journal with a line that is no record, or twice the same one: nothing is called sound by it")
  func noRecords() throws {
    for isTwice in [false, true] {
      let verdict = try judged { run in
        let journal = try #require(run.journals.last)
        let path = "\(run.home)/journal/\(journal.name)"
        var text = try String(contentsOfFile: path, encoding: .utf8)
        text += isTwice ? "\(try #require(text.split(separator: "\n").last))\n" : "x\n"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
      }
      #expect(verdict.exitCode == 74, "\(verdict.text)")
      #expect(
        verdict.missing.count == 1 && verdict.missing[0].part.hasPrefix("journals of "), "\(verdict.text)")
    }
  }

  @Test("is a journal with lines cut out: a full disk is noted with the next line, a cut is not")
  func cut() throws {
    for (note, missing) in [("", true), (",\"lost_before\":2", false), (",\"lost_before\":1", true)] {
      let verdict = try judged { run in
        let journal = try #require(run.journals.last)
        let path = "\(run.home)/journal/\(journal.name)"
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        // Behind all that is announced there.
        let last = lines.removeLast()
        lines.append(last.replacing("\"kind\":\"end\"", with: "\"kind\":\"end\"\(note)"))
        let number = try #require(Int(last.split(separator: ",")[0].dropFirst("{\"seq\":".count)))
        lines[lines.count - 1] = lines[lines.count - 1].replacing(
          "\"seq\":\(number),", with: "\"seq\":\(number + 2),")
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
      }
      #expect(verdict.exitCode == (missing ? 74 : 0), "\(verdict.text)")
      #expect(verdict.remarks.contains { $0.contains("lacks 2 records: its disk was full") } == !missing)
    }
  }
}
