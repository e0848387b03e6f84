import Ground
import Guardrails

@testable import Judge
@testable import TestHomes

/// A wallet whose extension only notifies, and evidence that breaks its promises.
@Suite("The judge and an extension that only notifies") struct TellingTests {
  private func findings(_ change: (SampleRun) throws -> Void = { _ in }) throws -> [Finding] {
    let run = try SampleStory.tellOfTelling()
    try change(run)
    return try Judge.verdict(home: run.home).findings
  }

  private func has(
    _ invariant: Int, _ words: String, _ sql: String, wallet: Bool = false,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let all = try findings { run in try (wallet ? run.wallet : run.ledger).executeAll(sql) }
    #expect(
      all.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(all.map(\.sentence))", sourceLocation: location)
  }

  @Test func `A sound run of a wallet whose extension only notifies has no finding`() throws {
    let run = try SampleStory.tellOfTelling()
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings.map(\.sentence), is: [])
    #expect(verdict.counts.paid == 1 && verdict.counts.failed == 1 && verdict.counts.extensionClaims == 0)
    expect(verdict.missing.map(\.sentence), is: [])
    expect(verdict.exitCode, is: 0)
  }

  @Test func `The judge knows which of Baton's wallets only tell, and which pushes announce each payment`() {
    expect(KnownWallets.telling, is: Set(WalletProfile.all.filter { !$0.extension.hasNode }.map(\.name)))
    expect(KnownWallets.announcing, is: Set(PushForm.allCases.filter(\.announces).map(\.rawValue)))
  }

  @Test func `The judge sees by each of three signs that the extension only notifies`() throws {
    for sign in ["journals", "runs", "arguments"] {
      let run = try SampleStory.tellOfTelling()
      if sign != "runs" { try run.ledger.executeAll("UPDATE runs SET push_form = 'phoenix'") }
      let journals = "\(run.home)/journal"
      for name in try FileManager.default.contentsOfDirectory(atPath: journals) {
        let path = "\(journals)/\(name)"
        if sign != "journals", name.contains("notifyonlyd") {
          try FileManager.default.removeItem(atPath: path)
        }
        if sign == "arguments", name.contains("iosd") {
          let text = try String(contentsOfFile: path, encoding: .utf8)
          try text.replacing("\"arguments\":[]", with: "\"arguments\":[\"--wallet\",\"bitkit\"]")
            .write(toFile: path, atomically: true, encoding: .utf8)
        }
      }
      try run.wallet.executeAll("UPDATE claims SET role = 'extension' WHERE epoch = 2")
      let found = try Judge.verdict(home: run.home).findings
      #expect(found.contains { $0.invariant == .tellingExtension }, "\(sign)")
    }
  }

  /// The home had the wallet that receives before, or has it now.
  @Test(arguments: [true, false])
  func `In a home with both wallets, one after the other, each is judged by its own rules`(isFirst: Bool)
    throws
  {
    let run = try SampleStory.tellOfTelling()
    // Epoch 1 and connection 1 are the app's; epoch 2 receives payment 1, epoch 3 comes after all payments.
    let epoch: Int64 = isFirst ? 1 : 3
    let claims = try run.wallet.rows("SELECT claimed_boot_ns FROM claims WHERE epoch IN (2, \(epoch))").map {
      guard case .integer(let claimed)? = $0.first else { return Int64(0) }
      return claimed
    }
    // iosd is restarted between the claim and that of epoch 2.
    let change = (claims[0] + claims[1]) / 2
    // The row has the phone's clock: another boot of the phone, and hours of the machine's sleep.
    try run.wallet.executeAll("UPDATE claims SET claimed_boot_ns = claimed_boot_ns + 28800000000000")
    try run.wallet.executeAll("UPDATE claims SET role = 'extension' WHERE epoch = \(epoch)")
    try run.ledger.executeAll("UPDATE runs SET push_form = 'phoenix'")
    let journals = "\(run.home)/journal"
    for name in try FileManager.default.contentsOfDirectory(atPath: journals) where name.contains("iosd") {
      try FileManager.default.removeItem(atPath: "\(journals)/\(name)")
    }
    let (bitkit, phoenix): ([String], [String]) = (["--wallet", "bitkit"], [])
    for (pid, at, arguments) in [
      (Int64(900), Int64(0), isFirst ? phoenix : bitkit), (901, change, isFirst ? bitkit : phoenix),
    ] {
      let journal = TestJournal("iosd", pid: pid, startTime: pid * 3, at: at, arguments: arguments)
      journal.end(at: at)
      try journal.write(to: journals)
    }
    let sentences = {
      try Judge.verdict(home: run.home).findings.filter { $0.invariant == .tellingExtension }.map(\.sentence)
    }
    expect(try sentences(), is: [])
    try run.wallet.executeAll("UPDATE claims SET role = 'extension' WHERE epoch = 2")
    #expect(try sentences().contains("Epoch 2 was claimed by the extension"))
    #expect(try !sentences().contains { $0.contains("Epoch \(epoch)") })
  }

  @Test func `A claim of the extension, and a connection and a preimage under it, violate invariant 9`()
    throws
  {
    let sentences = try findings {
      try $0.wallet.executeAll("UPDATE claims SET role = 'extension' WHERE epoch = 2")
    }.filter { $0.invariant == .tellingExtension }.map(\.sentence)
    expect(
      sentences,
      is: [
        "Epoch 2 was claimed by the extension", "Connection 2 was opened by the extension, under epoch 2",
        "The preimage of HTLC 0 came over connection 2, which no claim of the app opened",
      ])
  }

  @Test func `A claim of the app by a process that iosd started as the extension violates invariant 9`()
    throws
  {
    let run = try SampleStory.tellOfTelling()
    let path = "\(run.home)/os/processes.jsonl"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let changed = text.replacing("\"role\":\"app\",\"pid\":300", with: "\"role\":\"extension\",\"pid\":300")
    #expect(changed != text)
    try changed.write(toFile: path, atomically: true, encoding: .utf8)
    let found = try Judge.verdict(home: run.home).findings
    #expect(
      found.contains {
        $0.invariant == .tellingExtension && $0.sentence.contains("process 300, which is an extension")
      })
  }

  @Test func `An accepted connection without an epoch violates invariant 9`() throws {
    try has(9, "Connection 3 names no epoch", "UPDATE connections SET epoch = NULL WHERE id = 3")
  }

  @Test func `A journal of the extension with a claim violates invariant 9`() throws {
    let run = try SampleStory.tellOfTelling()
    let journals = "\(run.home)/journal"
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: journals).first { $0.contains("notifyonlyd") })
    let event =
      "{\"seq\":4,\"t\":\(run.now),\"wall\":1,\"kind\":\"event\",\"core\":\"guard-extension\",\"event\":"
      + "{\"claimed\":{\"_0\":{\"epoch\":9,\"incarnation\":1,\"container\":{\"high\":1,\"low\":2}}}},\"directives\":[]}\n"
    let file = try #require(FileHandle(forWritingAtPath: "\(journals)/\(name)"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(event.utf8))
    try file.close()
    let found = try Judge.verdict(home: run.home).findings
    #expect(found.contains { $0.invariant == .tellingExtension && $0.sentence.contains("used the node") })
  }

  @Test func `A notification that is missing for an alert violates invariant 5`() throws {
    let run = try SampleStory.tellOfTelling()
    let path = "\(run.home)/os/notifications.jsonl"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rows = text.split(separator: "\n", omittingEmptySubsequences: true)
    try (rows[0].replacing("\"push\":2", with: "\"push\":4") + "\n" + rows[1] + "\n").write(
      toFile: path, atomically: true, encoding: .utf8)
    let found = try Judge.verdict(home: run.home).findings.filter { $0.invariant == .notifications }.map(
      \.sentence)
    expect(
      found,
      is: [
        "The visible push 2 ended with 0 notifications", "The visible push 4 ended with 2 notifications",
      ])
  }

  @Test func `Without a sign of such an extension the judge demands none of its promises`() throws {
    let run = try SampleStory.tell()
    expect(try Judge.verdict(home: run.home).findings, is: [])
  }

  // MARK: What the user sees

  private func key(_ what: String, _ hash: [UInt8]) -> String {
    Hexadecimal.encode(WireBytes.sha256(Array("\(what) of payment ".utf8) + hash))
  }

  private func doubled(_ rows: (String, String) -> [String]) throws -> [String] {
    let keys = (key("announcement", SampleStory.missed), key("notification", SampleStory.missed))
    return try findings { run in
      let file = try #require(FileHandle(forWritingAtPath: "\(run.home)/os/notifications.jsonl"))
      try file.seekToEnd()
      for row in rows(keys.0, keys.1) { try file.write(contentsOf: Data("\(row)\n".utf8)) }
      try file.close()
    }.map(\.sentence).filter { $0.contains("tells of the same payment") }
  }

  private func row(_ id: Int, _ key: String, _ more: String = "") -> String {
    "{\"id\":\(id),\"source\":\"local\",\"title\":\"a\",\"body\":\"b\",\"key\":\"\(key)\"\(more)}"
  }

  @Test func `Two notifications of one payment at once violate invariant 5`() throws {
    let twice = "Notification 8 tells of the same payment as notification 7, which is still there"
    expect(try doubled { announced, _ in [row(7, announced), row(8, announced)] }, is: [twice])
    expect(try doubled { _, received in [row(7, received), row(8, received)] }, is: [twice])
    expect(try doubled { announced, received in [row(7, announced), row(8, received)] }, is: [twice])
    for gone in [",\"withdrawn\":true", ",\"answer\":\"default\""] {
      expect(
        try doubled { announced, received in
          [
            row(7, announced), row(7, announced, gone), row(8, announced), row(8, announced, gone),
            row(9, received),
          ]
        }, is: [])
    }
    expect(
      try doubled { announced, received in [row(7, received), row(8, announced)] }, is: [],
      "the extension cannot know of the receipt")
    expect(try doubled { announced, _ in [row(7, announced), row(7 + 256, announced)] }, is: [])
  }
}

/// Records of announced payments that are gone. In the run the app has removed that of payment 1, and that of payment 2
/// is there.
@Suite("The judge and the records of announced payments") struct RecordTests {
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
    expect(try findings { _ in }, is: [])
    expect(try findings(empty), is: [second])
    expect(
      try findings { try FileManager.default.removeItem(atPath: "\($0.home)/AppGroup/incoming.sqlite") },
      is: [second])
    expect(try findings { try edit($0, "mainappd", withoutRemoval) }, is: [first])
  }

  @Test func `A removal counts without its answer, and only if it ended after the record was stored`() throws
  {
    // The app was killed between the removal and its answer.
    let unanswered = try findings { run in
      try edit(run, "mainappd") { $0.contains("{\"removed\"") ? withoutRemoval($0) : $0 }
    }
    expect(unanswered, is: [])
    let earlier = try findings { run in
      let stamp = try NSRegularExpression(pattern: "\"t\":[0-9]+")
      try edit(run, "mainappd") { line in
        guard line.contains("\"core\":\"incoming\"") else { return line }
        let text = String(line)
        return stamp.stringByReplacingMatches(
          in: text, range: NSRange(text.startIndex..., in: text), withTemplate: "\"t\":5")[...]
      }
    }
    expect(earlier, is: [words(SampleStory.hashes[0])])
  }

  @Test func `A record whose write was not answered is not demanded`() throws {
    expect(try findings { try SampleStory.storeMore($0, 0..<1, isAnswered: false) }, is: [])
    expect(try findings { try SampleStory.storeMore($0, 0..<1) }.count, is: 1)
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

@Suite("Payments received soon after their push") struct AnnouncedPaymentsTests {
  private func seconds(_ count: Double) -> Int64 { Int64(count * 1_000_000_000) }

  /// Five payments: received at once, late, never, by its second push, and of a push that was not delivered.
  @Test(.shows("B-M.5"))
  func `A payment counts as received in time within 15 s of one of its delivered pushes`() throws {
    let run = try SampleRun()
    try run.ledger.executeAll(
      """
      INSERT INTO pushes (at_ns, reason, payment_hash, attempts, last_at_ns, outcome, is_open) VALUES
        (0, '', x'01', 1, \(seconds(1)), 'delivered', 0), (0, '', x'02', 1, 0, 'delivered', 0),
        (0, '', x'03', 1, 0, 'delivered', 0), (0, '', x'04', 1, 0, 'delivered', 0),
        (\(seconds(30)), '', x'04', 1, \(seconds(30)), 'delivered', 0), (0, '', x'05', 1, 0, 'iosd-away', 1),
        (0, '', NULL, 1, 0, 'delivered', 0);
      INSERT INTO payments (payment_hash, amount_msat, state, requested_at_ns, settled_at_ns) VALUES
        (x'01', 1, 'paid', 0, \(seconds(16))), (x'02', 1, 'paid', 0, \(seconds(15.1))),
        (x'03', 1, 'failed', 0, \(seconds(1))), (x'04', 1, 'failed', 0, \(seconds(20))),
        (x'04', 1, 'paid', 0, \(seconds(31))), (x'05', 1, 'paid', 0, \(seconds(1)));
      """)
    let found = try AnnouncedPayments(home: run.home, boundNs: seconds(15))
    #expect(found?.count == 4 && found?.receivedInTime == 2)
  }

  @Test func `A home without a ledger announces nothing`() throws {
    #expect(try AnnouncedPayments(home: "/nowhere", boundNs: 1) == nil)
  }
}
