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

  @Test(arguments: [
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
    expect(verdict.findings, is: [], "\(verdict.text)")
    #expect(verdict.outcome == .noVerdict && verdict.exitCode == 74 && !verdict.passed)
    #expect(
      verdict.notJudged.map(\.rawValue).contains(part) && !verdict.judged.map(\.rawValue).contains(part))
    #expect(verdict.text.contains("Verdict: no verdict: "))
    #expect(verdict.text.contains("--without \(kind)"), "\(verdict.text)")
  }

  @Test(arguments: ["mainappd", "notifyextd", "lspd", "iosd"])
  func `The verdict names each program that ran and left no journal`(program: String) throws {
    let verdict = try judged(removeJournals(of: program))
    expect(verdict.findings, is: [], "\(verdict.text)")
    expect(verdict.exitCode, is: 74)
    expect(verdict.missing.map(\.part.rawValue), is: ["journals of \(program)"])
  }

  @Test func `A waived part of the evidence is not required; the rest is judged and listed`() throws {
    for (part, path) in [(EvidencePart.peer, "lsp/ledger.sqlite"), (.phone, "os"), (.journals, "journal")] {
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

  @Test func `Missing evidence hides no broken invariant in the evidence that is there`() throws {
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
        expect(truncate(path, 20 << 30), is: 0)
      case "link": expect(symlink("/dev/zero", path), is: 0)
      case "pipe": expect(mkfifo(path, 0o600), is: 0)
      case "other rows":
        try text.replacing("\"role\":\"extension\"", with: "\"role\":\"stranger\"").write(
          toFile: path, atomically: false, encoding: .utf8)
      default: try Data().write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(verdict.findings == [] && verdict.exitCode == 74, "\(verdict.text)")
    expect(Set(verdict.missing.map(\.part.rawValue)), is: ["phone"])
  }

  @Test func `A journal with a malformed or repeated record counts as missing evidence`() throws {
    for isTwice in [false, true] {
      let verdict = try judged { run in
        let journal = try #require(run.journals.last)
        let path = "\(run.home)/journal/\(journal.name)"
        var text = try String(contentsOfFile: path, encoding: .utf8)
        text += isTwice ? "\(try #require(text.split(separator: "\n").last))\n" : "x\n"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
      }
      expect(verdict.exitCode, is: 74, "\(verdict.text)")
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
      ("processes", "\"ended_at_ns\"", "os/processes.jsonl lacks that row"),
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
      expect(verdict.findings, is: [], "\(verdict.text)")
      expect(verdict.exitCode, is: (isCut ? 74 : 0), "\(kept): \(verdict.text)")
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
      ("", false), (",\"fate\":\"lost\",\"fate_code\":\"lost\",\"fate_wall_ns\":1,\"fate_at_ns\":6", false),
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
      expect(verdict.exitCode, is: (isCut ? 74 : 0), "\(fate): \(verdict.text)")
    }
  }

  @Test(arguments: [true, false])
  func `A process that iosd was starting when it was killed needs no row`(isKilled: Bool) throws {
    let verdict = try judged { run in
      if isKilled { try rewrite("\(run.home)/journal/\(run.phone.name)") { $0.dropLast() } }
      let journal = TestJournal("notifyextd", pid: 77, startTime: 7, at: run.now + 60_000_000_000)
      // By the boot of a phone, which a process that was started by hand has not.
      try journal.lines.joined().replacing(TestJournal.bootHex, with: String(repeating: "7", count: 32))
        .write(toFile: "\(run.home)/journal/\(journal.name)", atomically: false, encoding: .utf8)
      // Rows of real processes have the time of their start.
      try rewrite("\(run.home)/os/processes.jsonl") { lines in
        let ids = Set(lines.compactMap { $0.firstMatch(of: /"id":(\d+)/)?.output.1 })
        return lines + [#"{"id":\#(ids.count + 1),"role":"app","pid":9999,"start_time":5}"#]
      }
    }
    let missed = verdict.missing.filter { $0.sentence.hasPrefix("os/processes.jsonl has no process 77, ") }
    expect(missed.isEmpty, is: isKilled, "\(verdict.text)")
  }

  @Test func `A process began at a kill of iosd if iosd's journal has no later line`() throws {
    func file(_ journal: TestJournal) throws -> JournalFile {
      try #require(JournalFile(path: journal.name, bytes: Array(journal.lines.joined().utf8), until: nil))
    }
    let phone = TestJournal("iosd", pid: 1, startTime: 1, at: 10)
    phone.event("phone", "{}", at: 20)
    let wallets = try [5, 15, 30].map { try file(TestJournal("mainappd", pid: 2, startTime: 2, at: $0)) }
    var phones = try [file(phone)]
    expect(wallets.map { $0.beganAtAKill(of: phones) }, is: [false, false, true])
    phone.end(at: 25)
    phones = try [file(phone)]
    expect(wallets.map { $0.beganAtAKill(of: phones) }, is: [false, false, false])
  }

  private func rewrite(_ path: String, _ change: ([String]) throws -> [String]) throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    try change(lines).map { $0 + "\n" }.joined().write(toFile: path, atomically: false, encoding: .utf8)
  }

  @Test(arguments: ["pushes", "notifications", "processes"])
  func `A malformed line in iosd's files counts as missing evidence, a truncated row does not`(file: String)
    throws
  {
    for (line, code) in [("noise", 74), ("{\"id\":9,\"vis", 0)] as [(String, Int32)] {
      let verdict = try judged { run in try rewrite("\(run.home)/os/\(file).jsonl") { [line] + $0 } }
      expect(verdict.exitCode, is: code, "\(verdict.text)")
      let sentence = "os/\(file).jsonl has a line that is no row, line 1"
      expect(verdict.missing.contains { $0.sentence.contains(sentence) }, is: (code == 74), "\(verdict.text)")
    }
  }

  @Test func `Waiving a part of the evidence does not excuse damage in it`() throws {
    let verdict = try judged(without: [.journals]) { run in
      let journal = try #require(run.journals.last)
      try rewrite("\(run.home)/journal/\(journal.name)") { $0 + ["x"] }
    }
    expect(verdict.exitCode, is: 74, "\(verdict.text)")
    #expect(verdict.missing.map(\.sentence).contains { $0.contains("1 unreadable line") })
  }

  @Test(arguments: [(form: 9, isNamed: true), (10, false)])
  func `For a journal of another form there is no verdict, and the sentence names both forms`(
    form: Int, isNamed: Bool
  ) throws {
    let verdict = try judged { run in
      let journal = try #require(run.journals.last)
      try rewrite("\(run.home)/journal/\(journal.name)") { lines in
        lines.map { $0.replacing("\"kind\":\"core\"", with: "\"kind\":\"core\",\"form\":\(form)") }
      }
    }
    expect(verdict.exitCode, is: 74)
    let words = "cannot be read: it has form 9, and this program judges form 10"
    expect(verdict.missing.contains { $0.sentence.hasSuffix(words) }, is: isNamed, "\(verdict.text)")
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
      expect(verdict.exitCode, is: (missing ? 74 : 0), "\(verdict.text)")
      expect(verdict.remarks.contains { $0.contains("lacks 2 records: its disk was full") }, is: !missing)
    }
  }
}

/// A process whose disk was full skips journal records and counts them in its next one.
@Suite("Journal records lost to a full disk") struct GapTests {
  /// Removes lines from the app's first journal and counts them in the line behind them.
  private func lose(_ run: SampleRun, inJournal place: Int = 0, _ isLost: (String) -> Bool) throws -> Int {
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

  @Test func `A write or claim whose journal record was lost to a full disk breaks no invariant`() throws {
    for words in [["\"write\""], ["\"claim\""], ["claimed"], ["claim", "write"]] {
      for place in 0..<3 {
        let run = try SampleStory.tell()
        let count = try lose(run, inJournal: place) { line in words.contains { line.contains($0) } }
        let verdict = try verdict(run)
        expect(verdict.findings, is: [], "\(words) \(place): \(verdict.text)")
        expect(verdict.outcome, is: .sound)
        guard count > 0 else { continue }
        #expect(
          verdict.remarks.contains {
            $0.contains("lacks \(count) record") && $0.hasSuffix("its disk was full")
          })
      }
    }
  }

  @Test func `A write without journal record at another time than the lost records is reported`() throws {
    let run = try SampleStory.tell()
    expect(try lose(run) { $0.contains("\"claimed\"") }, is: 1)
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
        expect(
          try lose(run, in: run.phone) { $0.contains("serviceFinished") && $0.contains("\"push\":1") }, is: 1)
      }
      let verdict = try verdict(run)
      expect(verdict.exitCode, is: (isNoted ? 0 : 74), "\(verdict.text)")
    }
  }

  @Test func `The remark on one lost record is in the singular`() throws {
    let run = try SampleStory.tell()
    expect(try lose(run) { $0.contains("\"claimed\"") }, is: 1)
    #expect(try verdict(run).remarks.contains { $0.contains("lacks 1 record: ") })
  }
}

@Suite("The verdict on a run whose older journals the app has removed") struct CleanedTests {
  enum Story: CaseIterable {
    case receives, sends

    func tell() throws -> SampleRun {
      self == .receives ? try SampleStory.tell() : try SampleStory.tellOfSending()
    }
  }

  private func findings(_ run: SampleRun) throws -> [String] {
    try Judge.verdict(home: run.home).findings.map { "\($0.invariant.rawValue) \($0.sentence)" }
  }

  @Test(arguments: Story.allCases)
  func `A run whose older journals the app removed is sound, with a remark`(story: Story) throws {
    let run = try story.tell()
    try run.removeJournals()
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [], "\(verdict.findings.map { "\($0.sentence) \($0.rows)" })")
    #expect(verdict.remarks.contains { $0.contains("as the app removes old ones") })
  }

  @Test func `An app of the wallet that completes removes journals without being told so`() throws {
    let run = try SampleStory.tellOfTelling()
    try run.removeJournals(arguments: ["--wallet", "bitkit"])
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [], "\(verdict.findings.map { "\($0.sentence) \($0.rows)" })")
    expect(verdict.missing, is: [], "\(verdict.missing)")
    #expect(verdict.remarks.contains { $0.contains("as the app removes old ones") })
  }

  private struct Taking {
    var arguments = ["--clean-journals"]
    var days: Int64 = 8
  }

  @Test(arguments: Story.allCases)
  func
    `There is no verdict if journals are missing without --clean-journals, or journals less than a week old`(
      story: Story
    ) throws
  {
    for how in [Taking(arguments: ["--beat-interval"]), Taking(days: 6)] { try take(story, how) }
  }

  private func take(_ story: Story, _ how: Taking) throws {
    let run = try story.tell()
    try run.removeJournals(arguments: how.arguments, days: how.days)
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [], "\(verdict.findings)")
    expect(verdict.exitCode, is: 74)
    #expect(verdict.missing.contains { $0.part.rawValue == "journals of mainappd" }, "\(verdict.missing)")
    #expect(verdict.missing.contains { $0.part.rawValue == "journals of lspd" }, "\(verdict.missing)")
  }

  @Test
  func `There is no verdict if the journal of a process active within the last week is missing`() throws {
    for writes in [true, false] {
      let run = try SampleStory.tell()
      try run.removeJournals()
      let yesterday = run.now - 24 * SampleRun.hour
      if writes {
        try run.wallet.execute(
          "UPDATE node_writes SET at_mono_ns = \(yesterday) WHERE id = (SELECT max(id) FROM node_writes)")
      } else {
        let rows = "\(run.home)/os/processes.jsonl"
        let end =
          "{\"id\":1,\"role\":\"app\",\"pid\":100,\"started_at_ns\":0,\"ended_at_ns\":\(yesterday),"
          + "\"how\":\"exited\",\"number\":0,\"reason\":\"\",\"end_code\":\"asked\",\"crashed\":false}\n"
        try (String(contentsOfFile: rows, encoding: .utf8) + end)
          .write(toFile: rows, atomically: false, encoding: .utf8)
      }
      let verdict = try Judge.verdict(home: run.home)
      #expect(verdict.missing.contains { $0.part.rawValue.contains("journals of") }, "\(verdict.missing)")
    }
  }

  @Test
  func `There is no verdict without each program's newest journal, which --clean-journals keeps`() throws {
    let run = try SampleStory.tell()
    try run.removeJournals(andTheNewestOf: "notifyextd")
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.exitCode, is: 74)
    expect(verdict.missing.map(\.part.rawValue), is: ["journals of notifyextd"])
  }

  @Test(
    arguments: [
      (Story.sends, true, "DELETE FROM outgoing_payments", "the wallet has 0 payments of it"),
      (
        .sends, true,
        "UPDATE outgoing_payments SET state = 'failed', preimage = NULL, failure_code = 16399",
        "failed, but its recipient was paid"
      ),
      (
        .sends, true, "UPDATE outgoing_payments SET amount_msat = 49000",
        "does not belong to exactly one payment"
      ),
      (
        .sends, false, "UPDATE external_invoices SET htlc = NULL, paid_at_ns = NULL",
        "paid, but its recipient was not paid"
      ),
      (.receives, true, "DELETE FROM received_payments WHERE id = 2", "the wallet has not received it"),
      (
        .receives, false, "UPDATE payments SET amount_msat = amount_msat + 1 WHERE id = 1",
        "but the wallet received"
      ),
    ])
  func `Without the removed journals the judge still reports a row that contradicts other evidence`(
    story: Story, isWallets: Bool, change: String, words: String
  ) throws {
    let run = try story.tell()
    try run.removeJournals()
    try (isWallets ? run.wallet : run.ledger).execute(change)
    let found = try findings(run)
    #expect(found.contains { $0.contains(words) }, "\(found)")
  }
}

extension SampleRun {
  /// As `JournalCleaner` does days later, when each program runs again: only each program's newest journal stays.
  fileprivate func removeJournals(
    arguments: [String] = ["--clean-journals"], days: Int64 = 8, andTheNewestOf missing: String? = nil
  ) throws {
    let directory = "\(home)/journal"
    let programs = ["mainappd", "notifyextd", "notifyonlyd", "lspd"].filter { program in
      (journals + [peer]).contains { $0.name.contains("-\(program)-") }
    }
    for journal in journals + [peer] {
      try FileManager.default.removeItem(atPath: "\(directory)/\(journal.name)")
    }
    now += days * 24 * Self.hour
    for (number, program) in programs.enumerated() where program != missing {
      tick()
      let pid = Int64(900 + number)
      let newest = TestJournal(
        program, pid: pid, startTime: pid * 3, at: now, arguments: program == "mainappd" ? arguments : [])
      if program == "lspd" {
        newest.core(
          "peer",
          "{\"isLegacy\":false,\"state\":{\"channel\":{\"record\":{\"localMsat\":1,\"remoteMsat\":1,"
            + "\"localCommitmentNumber\":2,\"remoteCommitmentNumber\":2,\"revision\":9,\"htlcs\":[]}}}}",
          at: now)
        try ledger.execute(
          "INSERT INTO runs (id, started_at_ns, started_wall_ns, pid, legacy) VALUES (?, ?, ?, ?, ?)",
          [.integer(2), .integer(now), .integer(now + TestJournal.wallOffset), .integer(pid), .integer(0)])
      }
      newest.end(at: now)
      try newest.write(to: directory)
    }
  }
}
