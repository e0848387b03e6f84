@testable import Judge
@testable import TestHomes

/// Runs that break an invariant, with evidence that is otherwise consistent.
@Suite("Broken invariants") struct BrokenInvariantTests {
  private func invariants(of run: SampleRun) throws -> Set<Int> {
    Set(try Judge.verdict(home: run.home).findings.map(\.invariant.rawValue))
  }

  @Test func `A write under an old epoch after the new owner's first write violates invariant 1`() throws {
    let run = try SampleStory.tell()
    try run.wallet.execute("UPDATE node_writes SET epoch = 2, incarnation = -2000000 WHERE id = 12")
    #expect(try invariants(of: run).contains(1))
  }

  @Test
  func `A fulfilment that the peer processed before the wallet stored it violates invariant 1`() throws {
    let run = try SampleStory.tell()
    // The write before the first fulfilment is moved behind it: the peer knows more than the database.
    try run.wallet.execute(
      "UPDATE node_writes SET at_mono_ns = (SELECT at_mono_ns FROM node_writes WHERE id = 7) WHERE id = 6")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.invariant == .exclusion && $0.sentence.contains("had made") })
  }

  @Test(arguments: [
    ("", true), ("WHERE epoch = 2 ORDER BY id LIMIT 1", true),
    ("WHERE epoch = 2 AND what LIKE '%received%' ORDER BY id LIMIT 1", false),
  ])
  func
    `A preimage sent before its payment is stored is reported, unless the write that stored it restored a backup`(
      restoredBy write: String, isFound: Bool
    ) throws
  {
    let run = try SampleStory.tell()
    if !write.isEmpty {
      try run.wallet.execute(
        "UPDATE node_writes SET what = 'restored=1 ' || what WHERE id = (SELECT id FROM node_writes \(write))"
      )
    }
    try run.wallet.execute(
      """
      UPDATE node_writes SET at_mono_ns = (SELECT at_mono_ns FROM node_writes WHERE what LIKE '%received%' AND id > w.id)
      FROM (SELECT min(id) AS id FROM node_writes WHERE what LIKE '%received%') w WHERE node_writes.id = w.id
      """)
    let findings = try Judge.verdict(home: run.home).findings
    expect(
      findings.contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("was sent before the receipt was durable")
      }, is: isFound, "\(findings.map(\.sentence))")
  }

  @Test
  func `A payment of a cancelled invoice is reported, and so is a cancellation that no write reports`() throws
  {
    let run = try SampleStory.tell()
    try run.wallet.execute(
      "INSERT INTO cancelled_invoices SELECT payment_hash, 1, 1 FROM received_payments LIMIT 1")
    let sentences = try Judge.verdict(home: run.home).findings.map(\.sentence)
    #expect(sentences.contains { $0.hasPrefix("The invoice of") && $0.hasSuffix("is cancelled") })
    #expect(
      sentences.contains("node_writes counts 0 cancelled invoices, but the table cancelled_invoices has 1"))
    try run.wallet.execute(
      """
      UPDATE node_writes SET what = 'cancelled=1' WHERE id = (SELECT min(id) FROM node_writes WHERE what = 'invoice=1')
      """)
    let after = try Judge.verdict(home: run.home).findings.map(\.sentence)
    #expect(!after.contains { $0.contains("cancelled invoices, but") || $0.contains("an unknown summary") })
  }

  @Test func `An open invoice that a journal reports as cancelled violates invariant 4`() throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/journal/\(run.journals[0].name)"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let changed = text.replacing("\"invoiceStored\"", with: "\"invoiceCancelled\"", maxReplacements: 1)
    try changed.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(changed != text)
    #expect(
      try Judge.verdict(home: run.home).findings.contains {
        $0.invariant == .nothingIsGone
          && $0.sentence.hasSuffix("but the wallet's database lacks the cancellation")
      })
  }

  @Test func `A processed frame of a refused connection violates invariant 1`() throws {
    let run = try SampleStory.tell()
    try run.ledger.execute(
      "UPDATE frames SET acted = 1, why_not = NULL WHERE why_not = 'its connection is refused'")
    #expect(try invariants(of: run).contains(1))
  }

  @Test func `A channel_reestablish with an older state violates invariant 2`() throws {
    let run = try SampleStory.tell()
    let id = try run.ledger.rows(
      "SELECT max(id) FROM frames WHERE direction = 'in' AND acted = 1 AND substr(bytes, 1, 2) = x'0088'")
    guard case .integer(let frame)? = id.first?.first else {
      Issue.record("the sample has no frame to change")
      return
    }
    let old = WireBytes.reestablish(
      nextCommitment: 3, nextRevocation: 2, secret: WireBytes.secret(ofPeer: true, 1))
    try run.ledger.execute("UPDATE frames SET bytes = ? WHERE id = ?", [.blob(old), .integer(frame)])
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains { $0.invariant == .noStateGoesBack && $0.sentence.contains("a number is too low") })
  }

  @Test func `A settled payment without a row in the wallet's database violates invariant 3`() throws {
    let run = try SampleStory.tell()
    try run.wallet.execute("DELETE FROM received_payments WHERE id = 2")
    let verdict = try Judge.verdict(home: run.home)
    #expect(
      verdict.findings.contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("has not received it")
      })
    expect(verdict.exitCode, is: 2)
  }

  @Test func `A received payment that failed for its sender violates invariant 3`() throws {
    let run = try SampleStory.tell()
    try run.ledger.execute(
      "UPDATE payments SET state = 'failed', preimage = NULL, failure_code = 4103, failure = 'no-balance' WHERE id = 2"
    )
    #expect(try invariants(of: run).contains(3))
  }

  @Test(arguments: [true, false])
  func `A visible push with two notifications, or with none, violates invariant 5`(twice: Bool) throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/os/notifications.jsonl"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let first = text.prefix { $0 != "\n" } + "\n"
    try (twice ? text + first : String(first)).write(toFile: path, atomically: false, encoding: .utf8)
    expect(try invariants(of: run), is: [5])
  }

  @Test func `A push with only a badge needs no notification, and a notification of it violates invariant 5`()
    throws
  {
    let run = try SampleStory.tell()
    func add(_ row: String, to name: String) throws {
      let path = "\(run.home)/os/\(name).jsonl"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try (text + row + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }
    try add(
      #"{"id":900,"visible":false,"badge_or_sound":true,"wall_ns":1,"at_ns":1,"fate":"x","fate_code":"applied","applied_badge":5}"#,
      to: "pushes")
    try add(#"{"badge":5,"wall_ns":1,"at_ns":1}"#, to: "notifications")
    expect(try invariants(of: run), is: [])
    try add(#"{"id":900,"push":900,"source":"original","title":"","body":""}"#, to: "notifications")
    expect(try invariants(of: run), is: [5])
  }

  @Test func `An extension above its memory limit that was not killed violates invariant 7`() throws {
    let run = try SampleStory.tell()
    let row =
      "{\"id\":2,\"role\":\"extension\",\"pid\":200,\"reason\":\"ended by itself\",\"end_code\":\"ended\",\"peak_footprint_bytes\":30000000}\n"
    let path = "\(run.home)/os/processes.jsonl"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text + row).write(toFile: path, atomically: false, encoding: .utf8)
    expect(try invariants(of: run), is: [7])
  }

  /// The extension is stopped as soon as iosd has its text, often before it can say that it has finished.
  @Test func `An extension that works on a push for 40 s violates invariant 7 unless iosd stopped it`() throws
  {
    let finished = #"{"serviceFinished":{"push":70,"reason":"idle"}}"#
    let delivered = #"{"contentDelivered":{"push":70}}"#
    let cases: [(event: String, directive: String?, broken: Set<Int>)] = [
      (delivered, nil, [7]), (finished, nil, []), (delivered, #"{"suspend":{"_0":"extension"}}"#, []),
      (delivered, #"{"suspend":{"_0":"app"}}"#, [7]), (#"{"processEnded":{"_0":"extension"}}"#, nil, []),
    ]
    for (event, directive, broken) in cases {
      let run = try SampleStory.tell()
      let phone = TestJournal("iosd", pid: 77, startTime: 1, at: run.now)
      phone.event(
        "phone", #"{"pushArrived":{"_0":{"id":70}}}"#,
        [#"{"tell":{"_0":"extension","_1":{"push":{"id":70,"deadlineMilliseconds":30000}}}}"#], at: run.now)
      phone.event("phone", event, directive.map { [$0] } ?? [], at: run.now + 5_000_000_000)
      phone.end(at: run.now + 40_000_000_000)
      try phone.write(to: "\(run.home)/journal")
      expect(try invariants(of: run), is: broken, "\(event) \(directive ?? "")")
    }
  }

  @Test(.shows("L-S.3")) func `A preimage in the heartbeat or the seed in a journal violates invariant 8`()
    throws
  {
    let run = try SampleStory.tell()
    try Data([1, 2, 3] + SampleStory.preimages[0]).write(
      to: URL(fileURLWithPath: "\(run.home)/AppGroup/heartbeat"))
    expect(try invariants(of: run), is: [8])
    for form in [WireBytes.hex(SampleRun.seed), Data(SampleRun.seed).base64EncodedString()] {
      let other = try SampleStory.tell()
      let journal = TestJournal("baton", pid: 9, startTime: 1, at: other.now)
      journal.event("any", "{\"seed\":\"\(form)\"}", at: other.now)
      try journal.write(to: "\(other.home)/journal")
      expect(try invariants(of: other), is: [8])
    }
  }

  @Test func `The judge searches for a sealed seed if the keychain's key opens it`() throws {
    for key in [SampleRun.keychainKey, [UInt8](repeating: 1, count: 32)] {
      let run = try SampleStory.tell()
      try run.sealSeed(with: key)
      let journal = TestJournal("baton", pid: 9, startTime: 1, at: run.now)
      journal.event("any", "{\"seed\":\"\(WireBytes.hex(SampleRun.seed))\"}", at: run.now)
      try journal.write(to: "\(run.home)/journal")
      expect(try invariants(of: run), is: (key == SampleRun.keychainKey ? [8] : []))
    }
  }

  @Test func `The push key in the heartbeat or in a journal violates invariant 8`() throws {
    let pushKey = (0..<32).map { UInt8(200 - $0) }
    for isInJournal in [false, true] {
      let run = try SampleStory.tell()
      try run.sealSeed(with: SampleRun.keychainKey)
      try run.seal(pushKey, in: SampleRun.group, account: "push-key", as: "2")
      expect(try invariants(of: run), is: [])
      if isInJournal {
        let journal = TestJournal("baton", pid: 9, startTime: 1, at: run.now)
        journal.event("any", "{\"key\":\"\(WireBytes.hex(pushKey))\"}", at: run.now)
        try journal.write(to: "\(run.home)/journal")
      } else {
        try Data(pushKey).write(to: URL(fileURLWithPath: "\(run.home)/AppGroup/heartbeat"))
      }
      expect(try invariants(of: run), is: [8])
    }
  }

  @Test
  func `Of several seeds the judge searches for that of the wallet's keychain group, with a remark`() throws {
    let run = try SampleStory.tell()
    try run.sealSeed(with: SampleRun.keychainKey)
    try run.seal([UInt8](repeating: 9, count: 32), in: "A1B2C3D4E5.com.example.another", as: "0")
    let journal = TestJournal(
      "mainappd", pid: 9, startTime: 1, at: run.now, arguments: ["--keychain-group", SampleRun.group])
    journal.event("any", "{\"seed\":\"\(WireBytes.hex(SampleRun.seed))\"}", at: run.now)
    try journal.write(to: "\(run.home)/journal")
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings.map(\.invariant.rawValue), is: [8])
    #expect(verdict.remarks.contains { $0.contains("has 2 seeds") && $0.contains(SampleRun.group) })
  }

  @Test
  func
    `A push without notification is excused if its row says why it has none: not shown, replaced, given to the app`()
    throws
  {
    let coded = [
      ("not-shown", "", false), ("dropped", "reboot", false), ("dropped", "swiped-away", true),
      ("dropped", "going-down", false), ("replaced", "", false), ("filtered", "", false),
      ("given-to-app", "", false), ("content-refused", "", true), ("late", "", true),
    ].map { ("x\",\"fate_code\":\"\($0)\",\"fate_detail\":\"\($1)", $2) }
    for (fate, found) in coded {
      let run = try SampleStory.tell()
      let row =
        "{\"id\":99,\"visible\":true,\"mutable_content\":true,\"wall_ns\":1,\"at_ns\":5,\"fate\":\"\(fate)\","
        + "\"fate_wall_ns\":1,\"fate_at_ns\":6}\n"
      let path = "\(run.home)/os/pushes.jsonl"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try (text + row).write(toFile: path, atomically: false, encoding: .utf8)
      expect(try invariants(of: run).contains(5), is: found, "\(fate)")
    }
  }

  @Test
  func `A lost or held push is accepted only if the journal of the iosd that took it has no end`() throws {
    // The journal's start, whether the journal has an end, and the fate in the push's row.
    for (began, hasEnd, fate, found) in [
      (10, false, "lost", false), (10, true, "lost", true), (10, false, "lost-in-the-woods", true),
      (30, true, "lost", false), (10, false, "held", false), (10, true, "held", true),
    ] as [(Int64, Bool, String, Bool)] {
      let run = try SampleStory.tell()
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(run.home)/journal")
      where name.contains("-iosd-") {
        try FileManager.default.removeItem(atPath: "\(run.home)/journal/\(name)")
      }
      let journal = TestJournal("iosd", pid: 9, startTime: 1, at: began)
      if hasEnd { journal.end(at: 50) }
      try journal.write(to: "\(run.home)/journal")
      let row =
        "{\"id\":99,\"visible\":true,\"mutable_content\":true,\"wall_ns\":1,\"at_ns\":20,"
        + "\"fate\":\"x\",\"fate_code\":\"\(fate)\",\"fate_wall_ns\":1,\"fate_at_ns\":61}\n"
      let path = "\(run.home)/os/pushes.jsonl"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try (text + row).write(toFile: path, atomically: false, encoding: .utf8)
      expect(try invariants(of: run).contains(5), is: found, "\(began) \(hasEnd) \(fate)")
    }
  }

  @Test(.shows("B-1.8.6")) func `A preimage in a journal before the peer received it violates invariant 8`()
    throws
  {
    let run = try SampleStory.tell()
    let journal = TestJournal("other", pid: 9, startTime: 1, at: 6)
    journal.event("any", "{\"preimage\":\"\(WireBytes.hex(SampleStory.preimages[1]))\"}", at: 7)
    // It is in that line alone.
    journal.event("any", "{\"preimage\":\"none\"}", at: 7)
    try journal.write(to: "\(run.home)/journal")
    expect(try Judge.verdict(home: run.home).findings.map(\.invariant), is: [.secrets])
  }

  @Test func `A preimage may be in a journal once lspd's journal has it, also if the ledger lacks the frame`()
    throws
  {
    for (shown, broken) in [(6, []), (8, [8])] as [(Int64, Set<Int>)] {
      let run = try SampleStory.tell()
      for (program, at) in [("lspd", shown), ("other", 7)] {
        let journal = TestJournal(program, pid: 9, startTime: 1, at: 5)
        journal.event("any", "{\"preimage\":\"\(WireBytes.hex(SampleStory.preimages[1]))\"}", at: at)
        journal.end(at: 9)
        try journal.write(to: "\(run.home)/journal")
      }
      expect(try invariants(of: run), is: broken)
    }
  }
}
