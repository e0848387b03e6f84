@testable import Baton
@testable import PhonePolicy

@Suite(
  "baton soak --phones", .disabled(if: CommandPhone.isSanitized, "its memory is the sanitizer's"),
  .waits)
struct PushCrowdTests {
  private let scratch = TemporaryDirectory()

  private func run(_ words: String...) throws -> (end: ProcessEnd?, said: String) {
    let end = try scratch.start("baton", ["soak"] + words).end()
    return (end, scratch.text("said"))
  }

  @Test(.shows("B-0.4", "B-C.1"))
  func
    `Each push has one notification, despite frozen and killed extensions, and times and memory are reported`()
    throws
  {
    defer { for phone in ["1", "2"] { Journals.replay(of: scratch("crowd/\(phone)")) } }
    let (end, said) = try run("--phones", "2", "--pushes", "20", "--keep", scratch("crowd"), "--json")
    expect(end, is: .exited(code: 0), "\(said)")
    let report = try #require(JSONValue(parsing: Array(said.utf8)))
    expect(report["complaints"]?.elements, is: [])
    let pushes = try #require(report["pushes"])
    #expect(try #require(pushes["pushes"]?.int) >= 26)
    let frozen = try #require(pushes["stopped_at_work"]?.int)
    #expect(try #require(pushes["killed_for_time"]?.int) <= frozen)
    #expect(try #require(pushes["silent_claims"]?.int) <= frozen)
    #expect(try #require(pushes["killed_at_work"]?.int) > 0)
    #expect(try #require(pushes["wait_median_ms"]?.int) > 0)
    let peak = try #require(pushes["peak_footprint_bytes"]?.uint)
    #expect(peak > 0 && peak < 25_165_824)
    for phone in ["1", "2"] {
      #expect(DaemonProbe.pid(listeningOn: Phone(home: scratch("crowd/\(phone)")).iosdSocket) == nil)
    }
  }
}

/// The report on what many pushes left in iosd's files.
@Suite(.waits) struct PushEvidenceTests {
  private func process(ended: Int64?, _ code: EndCode?, _ reason: String = "") throws -> ProcessRow {
    var row =
      #"{"id":1,"role":"extension","pid":7,"start_time":1,"path":"/x","launch_reason":"a push","started_wall_ns":0,"started_at_ns":0,"peak_footprint_bytes":900,"peak_resident_bytes":9000"#
    if let ended { row += #","ended_at_ns":\#(ended * 1_000_000)"# }
    if let code { row += #","reason":"\#(reason)","end_code":"\#(code.rawValue)""# }
    return try #require(ProcessRow(json: "\(row)}".utf8))
  }

  private func push(_ id: UInt64, at milliseconds: Int64) -> PushRow {
    PushRow(id: id, isVisible: true, hasMutableContent: true, wallNs: 0, atNs: milliseconds * 1_000_000)
  }

  private func shown(
    _ id: UInt64, push: UInt64, at milliseconds: Int64, _ source: String = "content"
  ) -> NotificationRow {
    NotificationRow(
      id: id, push: push, source: source, title: "", body: "", badge: 0, wallNs: 1,
      atNs: milliseconds * 1_000_000)
  }

  /// Two pushes, the first one shown after 300 ms, by a process that was ended when idle.
  private func evidence(_ rows: [NotificationRow]) throws -> PushEvidence {
    var evidence = PushEvidence()
    evidence.add(pushes: [push(1, at: 0), push(2, at: 1000)])
    evidence.add(notifications: rows)
    evidence.processes = [try process(ended: 90_000, .endedAsAsked)]
    return evidence
  }

  private func sound() throws -> PushEvidence {
    try evidence([shown(8, push: 1, at: 300), shown(9, push: 2, at: 1300)])
  }

  /// The second push has its original alert.
  private func shownAsSent() throws -> PushEvidence {
    try evidence([shown(8, push: 1, at: 300), shown(9, push: 2, at: 1300, "original")])
  }

  private static let frozen = PushStrikes(freezes: [.init(pid: 7, pushes: [2])])

  private func problems(
    _ strikes: PushStrikes = PushStrikes(), limits: Bool = true, _ evidence: PushEvidence? = nil,
    _ change: (inout PushEvidence) throws -> Void = { _ in }
  ) throws -> [String] {
    var evidence = try evidence ?? sound()
    try change(&evidence)
    return evidence.problems(limit: .seconds(30), strikes: strikes, hasLimits: limits)
  }

  @Test func `If each push has one notification in time, no problem is reported`() throws {
    expect(try problems(), is: [])
    #expect(try sound().allAreShown && sound().waits == [.milliseconds(300), .milliseconds(300)])
    #expect(try !evidence([shown(8, push: 1, at: 300)]).allAreShown)
  }

  @Test func `Of a rewritten row of notifications.jsonl the first counts`() throws {
    var evidence = try sound()
    evidence.add(notifications: [shown(9, push: 2, at: 99_000)])
    expect(try problems(PushStrikes(), evidence), is: [])
  }

  @Test func `A push that waits beyond the limit is reported`() throws {
    let late = try evidence([shown(8, push: 1, at: 300), shown(9, push: 2, at: 33_001)])
    expect(try problems(PushStrikes(), late), is: ["push 2 waited 32.0 s for its notification"])
    // A waiting push's time begins when the one before it is done.
    expect(
      try problems(
        PushStrikes(), try evidence([shown(8, push: 1, at: 30_000), shown(9, push: 2, at: 60_000)])), is: [])
  }

  @Test
  func `An extension that outlives its limit, never ends, crashes or is suspended with a lock is reported`()
    throws
  {
    expect(try problems(Self.frozen) { $0.processes = [try process(ended: 31_100, .timeLimit)] }, is: [])
    expect(
      try problems(Self.frozen) { $0.processes = [try process(ended: 33_100, .timeLimit)] },
      is: ["the extension 7 ran for 32.1 s after its last push"])
    expect(
      try problems { $0.processes = [try process(ended: nil, nil)] }, is: ["the extension 7 never ended"])
    for (code, reason) in [
      (EndCode.crashed, "crashed by SIGSEGV"), (.lockHeldWhileSuspended, "killed: 0xdead10cc: suspended"),
      (.gaveUp, "ended by itself with exit code 74: no disk"),
    ] {
      expect(
        try problems { $0.processes = [try process(ended: 2000, code, reason)] },
        is: ["the extension 7 ended: \(reason)"])
    }
  }

  @Test func `An original alert is reported unless the push's extension was struck`() throws {
    expect(
      try problems(PushStrikes(), try shownAsSent()),
      is: [
        "push 2 was shown as it was sent, and its extension was not struck"
      ]
    )
    expect(try problems(PushStrikes(pushes: [2]), try shownAsSent()), is: [])
    let evidence = try shownAsSent()
    expect([1, 2].map(evidence.isShownWithContent), is: [true, false])
  }

  @Test func `A process that ends otherwise than by a strike is reported`() throws {
    func ends(_ code: EndCode, _ strikes: PushStrikes = PushStrikes()) throws -> [String] {
      try problems(strikes) { $0.processes = [try process(ended: 2000, code, "killed: x")] }
    }
    for code in [EndCode.killedFromOutside, .timeLimit, .memoryLimit, .startLimit] {
      expect(try ends(code), is: ["the extension 7 ended: killed: x"])
    }
    expect(try ends(.killedFromOutside, PushStrikes(ended: [7])), is: [])
    expect(try ends(.timeLimit, Self.frozen), is: [])
    expect(try ends(.timeLimit, PushStrikes(ended: [7])), is: ["the extension 7 ended: killed: x"])
    for code in [EndCode.ended, .endedAsAsked, .afterContent, .reclaimed] { expect(try ends(code), is: []) }
  }

  @Test func `An extension frozen before its content is killed at the time limit, or reported`() throws {
    let sentence = "the extension 7 was frozen at work, and not killed at the time limit"
    var strikes = Self.frozen
    strikes.pushes = [2]
    expect(try problems(strikes, try shownAsSent()), is: [sentence])
    expect(try problems(strikes, limits: false, try shownAsSent()), is: [])
    expect(try problems(strikes), is: [], "frozen after its content")
  }

  @Test func `A claim because the holder went silent is reported unless the holder was frozen`() throws {
    let sentence = "epoch 5 was claimed because 7 went silent, which was not frozen"
    expect(try problems { $0.silentClaims = [(5, 7)] }, is: [sentence])
    expect(
      try problems(Self.frozen) {
        $0.silentClaims = [(5, 7)]
        $0.processes = [try process(ended: 31_100, .timeLimit)]
      }, is: [])
  }
}
