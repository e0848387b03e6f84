import PairSupport
import PhonePolicy

@testable import Baton

@Suite(
  "baton soak --phones", .disabled(if: getenv("BATON_SANITIZED") != nil, "its memory is the sanitizer's"),
  .waits)
struct PushCrowdTests {
  private let scratch = Scratch()

  private func run(_ words: String...) throws -> (end: ChildEnd.How?, said: String) {
    let end = scratch.end(try scratch.start("baton", ["soak"] + words))
    return (end, scratch.text("said"))
  }

  @Test
  func
    `B-0.4, B-C.1 Each push has one notification, despite frozen and killed extensions, and times and memory are reported`()
    throws
  {
    defer { for phone in ["1", "2"] { Journals.replay(of: scratch("crowd/\(phone)")) } }
    let (end, said) = try run("--phones", "2", "--pushes", "20", "--keep", scratch("crowd"), "--json")
    #expect(end == .exited(code: 0), "\(said)")
    let report = try #require(JSONValue(parsing: Array(said.utf8)))
    #expect(report["complaints"]?.elements == [])
    #expect(try #require(report["pushes"]?.int) >= 26)
    let frozen = try #require(report["stopped_at_work"]?.int)
    #expect(try #require(report["killed_for_time"]?.int) <= frozen)
    #expect(try #require(report["silent_claims"]?.int) <= frozen)
    #expect(try #require(report["killed_at_work"]?.int) > 0)
    #expect(try #require(report["wait_median_ms"]?.int) > 0)
    let peak = try #require(report["peak_footprint_bytes"]?.uint)
    #expect(peak > 0 && peak < 25_165_824)
    for phone in ["1", "2"] {
      #expect(DaemonProbe.pid(listeningOn: Phone(home: scratch("crowd/\(phone)")).iosdSocket) == nil)
    }
  }
}

/// The report on what many pushes left in iosd's files.
@Suite(.waits) struct PushEvidenceTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func process(ended: Int64?, _ code: EndCode?, _ reason: String = "") throws -> ProcessRow {
    var row =
      #"{"id":1,"role":"extension","pid":7,"start_time":1,"path":"/x","launch_reason":"a push","started_wall_ns":0,"started_at_ns":0,"peak_footprint_bytes":900,"peak_resident_bytes":9000"#
    if let ended { row += #","ended_at_ns":\#(ended * 1_000_000)"# }
    if let code { row += #","reason":"\#(reason)","end_code":"\#(code.rawValue)""# }
    return try #require(ProcessRow(json: "\(row)}".utf8))
  }

  /// Two pushes, each shown after 300 ms, by a process that was ended when idle.
  private func sound() throws -> PushEvidence {
    PushEvidence(
      pushes: [.init(id: 1, at: at(0)), .init(id: 2, at: at(1000))],
      notifications: [.init(id: 8, push: 1, at: at(300)), .init(id: 9, push: 2, at: at(1300))],
      processes: [try process(ended: 90_000, .endedAsAsked)])
  }

  private static let frozen = PushStrikes(freezes: [.init(pid: 7, pushes: [2])])

  private func problems(
    _ strikes: PushStrikes = PushStrikes(), limits: Bool = true, _ change: (inout PushEvidence) throws -> Void
  ) throws -> [String] {
    var evidence = try sound()
    try change(&evidence)
    return evidence.problems(limit: .seconds(30), strikes: strikes, hasLimits: limits)
  }

  @Test func `If each push has one notification in time, no problem is reported`() throws {
    #expect(try problems { _ in } == [])
    #expect(try sound().waits == [.milliseconds(300), .milliseconds(300)])
    #expect(try sound().peakFootprintBytes == 900)
  }

  @Test func `A push with no notification or with two is reported`() throws {
    #expect(
      try problems { $0.notifications.removeLast() } == ["push 2 has 0 notifications, not 1"])
    #expect(
      try problems { $0.notifications.append(.init(id: 10, push: 2, at: at(1400))) }
        == ["push 2 has 2 notifications, not 1"])
  }

  @Test func `A rewritten row of notifications.jsonl does not count as a second notification`() throws {
    var evidence = try sound()
    evidence.add(
      notification: NotificationRow(
        id: 9, push: 2, source: "content", title: "", body: "", badge: 0, wall: 1, at: 1_500_000_000))
    #expect(evidence.problems(limit: .seconds(30), strikes: PushStrikes()) == [])
  }

  @Test func `A push that waits beyond the limit is reported`() throws {
    let late = try problems { $0.notifications[1].at = at(33_001) }
    #expect(late == ["push 2 waited 32.0 s for its notification"])
    // A waiting push's time begins when the one before it is done.
    #expect(
      try problems {
        $0.notifications[0].at = at(30_000)
        $0.notifications[1].at = at(60_000)
      } == [])
  }

  @Test
  func `An extension that outlives its limit, never ends, crashes or is suspended with a lock is reported`()
    throws
  {
    #expect(try problems(Self.frozen) { $0.processes = [try process(ended: 31_100, .timeLimit)] } == [])
    #expect(
      try problems(Self.frozen) { $0.processes = [try process(ended: 33_100, .timeLimit)] }
        == ["the extension 7 ran for 32.1 s after its last push"])
    #expect(
      try problems { $0.processes = [try process(ended: nil, nil)] } == ["the extension 7 never ended"])
    #expect(
      try problems { $0.processes = [try process(ended: 2000, .crashed, "crashed by SIGSEGV")] }
        == ["the extension 7 crashed by SIGSEGV"])
    #expect(
      try problems {
        $0.processes = [try process(ended: 2000, .lockHeldWhileSuspended, "killed: 0xdead10cc: suspended")]
      } == ["the extension 7 was killed: 0xdead10cc: suspended"])
    #expect(
      try problems {
        $0.processes = [try process(ended: 2000, .gaveUp, "ended by itself with exit code 74: no disk")]
      } == ["the extension 7 ended by itself with exit code 74: no disk"])
  }

  @Test func `An original alert is reported unless the push's extension was struck`() throws {
    #expect(
      try problems { $0.notifications[1].isContent = false }
        == ["push 2 was shown as it was sent, and its extension was not struck"])
    #expect(try problems(PushStrikes(pushes: [2])) { $0.notifications[1].isContent = false } == [])
    var evidence = try sound()
    evidence.notifications = []
    for (id, push, source) in [(UInt64(8), UInt64(1), "content"), (9, 2, "original")] {
      evidence.add(
        notification: NotificationRow(
          id: id, push: push, source: source, title: "", body: "", badge: 0, wall: 1, at: 1_300_000_000))
    }
    #expect(evidence.notifications.map(\.isContent) == [true, false])
    #expect(evidence.strikesAfterContent(PushStrikes(pushes: [1, 2])) == 1)
  }

  @Test func `A process that ends otherwise than by a strike is reported`() throws {
    func ends(_ code: EndCode, _ strikes: PushStrikes = PushStrikes()) throws -> [String] {
      try problems(strikes) { $0.processes = [try process(ended: 2000, code, "killed: x")] }
    }
    for code in [EndCode.killedFromOutside, .timeLimit, .memoryLimit, .startLimit] {
      #expect(try ends(code) == ["the extension 7 was killed: x"])
    }
    #expect(try ends(.killedFromOutside, PushStrikes(ended: [7])) == [])
    #expect(try ends(.timeLimit, Self.frozen) == [])
    #expect(try ends(.timeLimit, PushStrikes(ended: [7])) == ["the extension 7 was killed: x"])
    for code in [EndCode.ended, .endedAsAsked, .afterContent, .reclaimed] { #expect(try ends(code) == []) }
  }

  @Test func `An extension frozen before its content is killed at the time limit, or reported`() throws {
    let sentence = "the extension 7 was frozen at work, and not killed at the time limit"
    func shownAsSent(_ evidence: inout PushEvidence) { evidence.notifications[1].isContent = false }
    var strikes = Self.frozen
    strikes.pushes = [2]
    #expect(try problems(strikes, shownAsSent) == [sentence])
    #expect(try problems(strikes, limits: false, shownAsSent) == [])
    #expect(try problems(strikes) { _ in } == [], "frozen after its content")
  }

  @Test func `A claim because the holder went silent is reported unless the holder was frozen`() throws {
    let claim = SilentClaim(epoch: 5, holder: 7, waited: .milliseconds(5200))
    let sentence = "epoch 5 was claimed because 7 went silent, which was not frozen"
    #expect(try problems { $0.silentClaims = [claim] } == [sentence])
    #expect(
      try problems(Self.frozen) {
        $0.silentClaims = [claim]
        $0.processes = [try process(ended: 31_100, .timeLimit)]
      } == [])
    var evidence = try sound()
    evidence.silentClaims = [claim]
    #expect(evidence.longestSilentWait == .milliseconds(5200))
  }
}
