import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("Missing evidence") struct AbsenceTests {
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
    arguments: [
      ("lsp/ledger.sqlite", "peer's ledger", "peer"), ("os", "phone", "phone"),
      ("os/processes.jsonl", "phone", "phone"), ("os/pushes.jsonl", "phone", "phone"),
      ("os/notifications.jsonl", "phone", "phone"), ("journal", "journals of mainappd", "journals"),
    ])
  func
    `Without a part of the evidence there is no verdict; its text names the part and the option to waive it`(
      path: String, part: String, kind: String
    ) throws
  {
    let verdict = try judged(remove(path))
    #expect(verdict.findings == [], "\(verdict.text)")
    #expect(verdict.outcome == .noVerdict && verdict.exitCode == 74 && !verdict.passed)
    #expect(
      verdict.notJudged.map(\.rawValue).contains(part) && !verdict.judged.map(\.rawValue).contains(part))
    #expect(verdict.text.contains("Verdict: no verdict: "))
    #expect(verdict.text.contains("--without \(kind)"), "\(verdict.text)")
  }

  @Test(arguments: ["mainappd", "notifyextd", "lspd", "iosd"])
  func `The verdict names each program that ran and left no journal`(program: String) throws {
    let verdict = try judged(removeJournals(of: program))
    #expect(verdict.findings == [], "\(verdict.text)")
    #expect(verdict.exitCode == 74)
    #expect(verdict.missing.map(\.part.rawValue) == ["journals of \(program)"])
  }

  @Test
  func `A waived part of the evidence is not required; the rest is judged and listed`() throws {
    for (part, path) in [
      (EvidencePart.peer, "lsp/ledger.sqlite"), (.phone, "os"), (.journals, "journal"),
    ] {
      let verdict = try judged(without: [part], remove(path))
      #expect(verdict.exitCode == 0 && verdict.missing == [], "\(verdict.text)")
      #expect(verdict.text.contains("in the parts that were judged"))
      #expect(verdict.judged.map(\.rawValue).contains("container"))
    }
    let container = try judged(without: Set(EvidencePart.allCases)) { run in
      for path in ["lsp/ledger.sqlite", "os", "journal"] { try remove(path)(run) }
    }
    #expect(container.exitCode == 0 && container.judged == [.container])
  }

  @Test
  func `Missing evidence hides no broken invariant in the evidence that is there`() throws {
    for path in ["lsp/ledger.sqlite", "os", "journal"] {
      let verdict = try judged { run in
        try remove(path)(run)
        try run.wallet.execute("UPDATE node_writes SET epoch = 2, incarnation = -2000000 WHERE id = 12")
      }
      #expect(
        verdict.exitCode == 2 && verdict.findings.contains { $0.invariant == .exclusion }, "\(verdict.text)")
      #expect(!verdict.missing.isEmpty)
    }
  }

  @Test(arguments: ["zeros", "sparse", "link", "pipe", "other rows", "empty"])
  func `An unreadable, empty or incomplete process list counts as missing evidence`(kind: String) throws {
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
    #expect(Set(verdict.missing.map(\.part.rawValue)) == ["phone"])
  }

  @Test
  func `A journal with a malformed or repeated record counts as missing evidence`() throws {
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
        verdict.missing.count == 1 && verdict.missing[0].part.rawValue.hasPrefix("journals of "),
        "\(verdict.text)")
    }
  }

  @Test(
    arguments: [
      ("pushes", "\"id\":1,", "lacks 1 row, the first before row 2"),
      ("pushes", "\"id\":2,", "names push 2, but os/pushes.jsonl has no row of it"),
      ("notifications", "\"id\":1,", "lacks 1 row, the first before row 2"),
      ("processes", "\"id\":2,", "lacks 1 row, the first before row 3"),
    ])
  func `A row removed from iosd's files counts as missing evidence, even if the phone is waived`(
    file: String, row: String, words: String
  ) throws {
    for waived in [[], [EvidencePart.phone]] as [Set<EvidencePart>] {
      let verdict = try judged(without: waived) { run in
        // A push whose notification's row is missing too breaks no invariant.
        for name in ["pushes", "notifications"] where file != "processes" {
          try rewrite("\(run.home)/os/\(name).jsonl") { lines in
            name == file || file == "notifications" ? lines.filter { !$0.contains(row) } : lines
          }
        }
        if file == "processes" {
          try rewrite("\(run.home)/os/processes.jsonl") { $0.filter { !$0.contains(row) } }
        }
      }
      #expect(verdict.findings == [] && verdict.exitCode == 74, "\(verdict.text)")
      #expect(
        verdict.missing.contains { $0.part.rawValue == "phone" && $0.sentence.contains(words) },
        "\(verdict.text)")
    }
  }

  @Test
  func `A journal of iosd that ends before the last rows of iosd's files counts as missing evidence`() throws
  {
    for (kept, isCut) in [("{\"processEnded\"", false), ("\"end\"", false), ("{\"pushArrived\"", true)] {
      let verdict = try judged { run in
        try rewrite("\(run.home)/journal/\(run.phone.name)") { lines in
          let told = lines.indices.filter { lines[$0].contains(kept) }
          return Array(lines[...(try #require(isCut ? told.first : told.last))])
        }
      }
      #expect(verdict.findings == [], "\(verdict.text)")
      #expect(verdict.exitCode == (isCut ? 74 : 0), "\(kept): \(verdict.text)")
      #expect(
        verdict.missing.allSatisfy {
          $0.part.rawValue == "journals of iosd" && $0.sentence.contains(" ends before ")
        })
    }
  }

  @Test func `A journal of lspd that ends before the last frames of its run counts as missing evidence`()
    throws
  {
    for (lines, secondsLater, isCut) in [(1, 0, false), (1, 6, true), (0, 6, false)] {
      let verdict = try judged { run in
        // Without its end, which is the last line.
        if lines > 0 { try rewrite("\(run.home)/journal/\(run.peer.name)") { $0.dropLast(lines) } }
        try run.ledger.execute(
          "UPDATE frames SET at_ns = at_ns + \(secondsLater)000000000 WHERE id = (SELECT max(id) FROM frames)"
        )
      }
      let missing = verdict.missing.filter { $0.sentence.contains(" ends before the last frames of its run") }
      #expect(missing.isEmpty != isCut, "\(verdict.text)")
    }
  }

  @Test
  func `After a kill of iosd only a lost push, or a last push without a fate, may lack its journal line`()
    throws
  {
    for (fate, isCut) in [
      ("", false),
      (",\"fate\":\"lost\",\"fate_code\":\"lost\",\"fate_wall_ns\":1,\"fate_at_ns\":6", false),
      (",\"fate\":\"x\",\"fate_code\":\"not-shown\",\"fate_wall_ns\":1,\"fate_at_ns\":6", true),
    ] {
      let verdict = try judged { run in
        try rewrite("\(run.home)/journal/\(run.phone.name)") { $0.dropLast() }
        let late = run.now + 60_000_000_000
        try rewrite("\(run.home)/os/pushes.jsonl") { lines in
          let visible = fate.isEmpty ? "false" : "true"
          return lines + [
            "{\"id\":3,\"visible\":\(visible),\"mutable_content\":true,\"wall_ns\":1,\"at_ns\":\(late)\(fate)}"
          ]
        }
      }
      #expect(verdict.exitCode == (isCut ? 74 : 0), "\(fate): \(verdict.text)")
    }
  }

  private func rewrite(_ path: String, _ change: ([String]) throws -> [String]) throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    try change(lines).map { $0 + "\n" }.joined().write(toFile: path, atomically: false, encoding: .utf8)
  }

  @Test(arguments: ["pushes", "notifications", "processes"])
  func `A malformed line in iosd's files counts as missing evidence, a truncated row does not`(
    file: String
  )
    throws
  {
    for (line, code) in [("noise", 74), ("{\"id\":9,\"vis", 0)] as [(String, Int32)] {
      let verdict = try judged { run in
        try rewrite("\(run.home)/os/\(file).jsonl") { [line] + $0 }
      }
      #expect(verdict.exitCode == code, "\(verdict.text)")
      let sentence = "os/\(file).jsonl has a line that is no row, line 1"
      #expect(verdict.missing.contains { $0.sentence.contains(sentence) } == (code == 74), "\(verdict.text)")
    }
  }

  @Test
  func `Waiving a part of the evidence does not excuse damage in it`() throws {
    let verdict = try judged(without: [.journals]) { run in
      let journal = try #require(run.journals.last)
      try rewrite("\(run.home)/journal/\(journal.name)") { $0 + ["x"] }
    }
    #expect(verdict.exitCode == 74, "\(verdict.text)")
    #expect(verdict.missing.map(\.sentence).contains { $0.contains("1 unreadable line") })
  }

  @Test
  func `Records missing from a journal are accepted only if the next line counts them as lost`() throws {
    for (note, missing) in [("", true), (",\"lost_before\":2", false), (",\"lost_before\":1", true)] {
      let verdict = try judged { run in
        let journal = try #require(run.journals.last)
        let path = "\(run.home)/journal/\(journal.name)"
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        // After every write that the journal announces.
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
