import Platform
import Wallet
import Simulation

@testable import Baton

@Suite("baton timeline", .waits) struct TimelineVerbTests {
  private func mode(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test func `The timeline of a phone has its kill, and the arrow to the takeover`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    let pid = try #require(try phone.phone.facts().app.pid)
    kill(pid, SIGKILL)
    _ = try phone.run("pay", invoice)
    try Wait.until("the notification") { try !phone.phone.notifications().isEmpty }
    #expect(try phone.run("timeline").hasPrefix("\(phone.home)/timeline.html: "))
    expect(mode("\(phone.home)/timeline.html"), is: 0o600)

    let timeline = try JournalTimeline.of(phone.phone)
    expect(timeline.lanes.map(\.name), is: ["payments", "lspd", "iosd", "mainappd", "notifyextd"])
    let kills = timeline.marks.filter { $0.kind == .kill }
    expect(kills.map(\.label), is: ["process \(pid): killed from outside by SIGKILL"])
    let takeovers = timeline.arrows.filter { $0.kind == .takeover }
    expect(takeovers.first?.label.hasPrefix("takeover of epoch 1 by epoch 2: "), is: true)
    expect(takeovers.first?.fromRecord, is: kills.first?.record)
    #expect(timeline.marks.contains { $0.kind == .settled })
    #expect(timeline.marks.contains { $0.kind == .notification })
    #expect(timeline.spans.contains { $0.kind == .connection && $0.epoch == 2 })
    for kind in [TimelineArrow.Kind.wire, .push, .launch, .content, .payment] {
      #expect(timeline.arrows.contains { $0.kind == kind }, "no arrow of the kind \(kind)")
    }
    #expect(timeline.findings.isEmpty)
  }

  @Test func `A payment that the node refuses is drawn as refused, one of unknown outcome as such`() {
    for (why, words) in [
      (.notHeld, "refused"), (.because("x"), "refused"), (.unknown("x"), "the outcome is unknown"),
    ] as [(NodeRefusal, String)] {
      var builder = TimelineBuilder()
      let payment = OutgoingPayment(paymentHash: .zero, amountMsat: 7000, paymentSecret: .zero)
      let refused = NodeDirective.paymentRefused(paymentHash: .zero, why)
      builder.take(
        TimelineRecord(at: Instant(nanoseconds: 0), weight: .normal, text: "asks"), by: .wallet(.app),
        [.core(.wallet(.app, .node(.payRequested(payment), [refused])))])
      let marks = builder.finish(title: "a run").marks.filter { $0.kind == .failed }
      expect(marks.map { $0.label.contains(": \(words) after ") }, is: [true])
    }
  }

  @Test func `A connection of a killed lspd ends with lspd's last word`() {
    var builder = TimelineBuilder()
    let said: [(Int64, Said)] = [
      (1, .core(.peer(.connected(connection: 1), []))),
      (2, .core(.peer(.undecodable(connection: 1, "x"), []))), (9, .peerStarted),
    ]
    for (seconds, said) in said {
      let record = TimelineRecord(
        at: Instant(nanoseconds: 0) + .seconds(seconds), weight: .normal, text: "says")
      builder.take(record, by: .peer, [said])
    }
    let spans = builder.finish(title: "a run").spans.filter { $0.kind == .connection }
    expect(spans.map(\.to), is: [Instant(nanoseconds: 0) + .seconds(2)])
    expect(spans.map(\.label), is: ["connection 1: lspd ended"])
  }

  @Test func `A finding about a frame prints the command that shows what led to it`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("pay", try phone.invoice())
    _ = try phone.run("down")
    #expect(try !phone.run("timeline").contains("--around"))
    let ledger = try Connection(path: "\(phone.home)/lsp/ledger.sqlite", access: .readWrite)
    try ledger.execute(
      """
      UPDATE frames SET acted = 0
      WHERE id = (SELECT max(id) FROM frames WHERE direction = 'in' AND substr(bytes, 1, 2) = x'0085')
      """)
    let (said, drawn) = (try phone.run("timeline"), try phone.run("timeline", "--svg"))
    #expect(said.contains("see it at ") && drawn.contains("or read what led to it"))
    #expect(!drawn.contains("see it at "), "a picture has no place to go to")
    let command = try #require(
      said.firstMatch(of: /or read what led to it: baton logs --home (.+) --around (.+)\n/))
    #expect(command.output.1 == phone.home)
    let lines = try phone.run("logs", "--around", String(command.output.2)).split(separator: "\n")
    #expect(lines.contains { $0.contains("lspd        receives revoke_and_ack on connection 1") })
    #expect(!lines.contains { $0.contains("\"core\"") })
    let all = try phone.run("logs", "--verbose").split(separator: "\n")
    #expect(lines.count < all.count)
    #expect(all.contains { $0.contains("mainappd    sends ") && $0.contains("revoke_and_ack") })
    #expect(all.contains { $0.hasSuffix("mainappd    its state is durable") })
  }

  @Test func `A simulated run that breaks an invariant has a mark where it breaks`() throws {
    var settings = RunSettings(seed: 1)
    settings.world.without = Rules([.initCheck, .stateFromClaim])
    let timeline = WorldStory(of: settings).timeline(title: "seed 1")
    let finding = try #require(timeline.findings.first)
    #expect(finding.anchor != nil)
    #expect(timeline.marks.contains { $0.kind == .violation && $0.label == finding.sentence })
    #expect(timeline.spans.contains { $0.kind == .epoch })
    #expect(timeline.startWall == nil)
  }
}
