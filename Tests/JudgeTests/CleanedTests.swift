import Foundation
import Testing

@testable import Judge
@testable import TestHomes

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
    #expect(verdict.findings == [], "\(verdict.findings.map { "\($0.sentence) \($0.rows)" })")
    #expect(verdict.remarks.contains { $0.contains("as the app removes old ones") })
  }

  @Test func `An app of the wallet that completes removes journals without being told so`() throws {
    let run = try SampleStory.tellOfTelling()
    try run.removeJournals(arguments: ["--wallet", "bitkit"])
    let verdict = try Judge.verdict(home: run.home)
    #expect(verdict.findings == [], "\(verdict.findings.map { "\($0.sentence) \($0.rows)" })")
    #expect(verdict.missing == [], "\(verdict.missing)")
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
    #expect(verdict.findings == [], "\(verdict.findings)")
    #expect(verdict.exitCode == 74)
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
    #expect(verdict.exitCode == 74)
    #expect(verdict.missing.map(\.part.rawValue) == ["journals of notifyextd"])
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
