import Ground
import Guardrails
import Heartbeat
import Lightning
import LightningProvider
import PhonePolicy
import Simulation
import TestKit
import Wallet

@testable import Baton

@Suite("A run as a page, a picture and a trace") struct TimelineOutputTests {
  private static let hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\u{0}\"'&"

  private var timeline: Timeline {
    var run = Drawing()
    run.at(0, .wallet(.app), .started(pid: 7), text: Self.hostile)
    run.at(1, .wallet(.app), .claimed(1))
    run.at(2, .peer, .connectionOpened(1), .connectionOpened(2))
    run.at(3, .peer, .connectionClosed(1, Self.hostile))
    run.at(4, .peer, .connectionClosed(2, "end"))
    run.at(5, .wallet(.app), .ended(.app, Self.hostile))
    run.at(6, .phone(), .notified(Self.hostile))
    run.at(9, .wallet(.extension), .claimed(2))
    var timeline = run.finished()
    timeline.title = Self.hostile
    timeline.findings = [
      TimelineFinding(
        title: Self.hostile, sentence: Self.hostile, anchor: TimelineAnchor(at: timeline.start, record: 0))
    ]
    return timeline
  }

  @Test func `Hostile text in a record cannot end the page's data or become an element`() {
    let html = TimelinePage.html(timeline)
    // The data, the script, the texts; nothing of the records.
    #expect(html.matches(of: /<script/).count == 3)
    #expect(html.matches(of: /<\/script>/).count == 3)
    #expect(!html.contains("<img"))
    #expect(!html.contains("<!--"))
  }

  @Test func `The page loads nothing, and its policy allows its own script by its hash`() throws {
    let html = TimelinePage.html(timeline)
    #expect(html.contains("default-src 'none'"))
    #expect(html.matches(of: /script-src 'sha256-[A-Za-z0-9+\/]{43}='/).count == 1)
    #expect(!html.contains("unsafe-inline"))
    #expect(html.matches(of: /(src|href)="http/).isEmpty)
  }

  @Test func `The picture has all text escaped`() {
    let svg = TimelinePicture(timeline).svg
    #expect(!svg.contains("<script"))
    #expect(!svg.contains("<img"))
    #expect(!svg.contains("\u{0}"))
    #expect(svg.hasPrefix("<svg"))
    #expect(svg.contains("epoch 1"))
  }

  @Test func `In the trace each slice of a thread nests, and each flow begins in a slice and ends in one`()
    throws
  {
    struct Event: Decodable {
      var name: String
      var ph: String
      var ts: Double?
      var dur: Double?
      var pid: Int
      var tid: Int
      var id: Int?
      var s: String?
    }
    struct Document: Decodable { var traceEvents: [Event] }
    let json = TimelineTrace.json(timeline)
    let events = try JSONLineDecoder().decode(Document.self, from: Array(json.utf8)).traceEvents
    let slices = events.filter { $0.ph == "X" }
    for one in slices {
      let (from, to) = (one.ts ?? 0, (one.ts ?? 0) + (one.dur ?? 0))
      for other in slices where other.pid == one.pid && other.tid == one.tid {
        let (start, end) = (other.ts ?? 0, (other.ts ?? 0) + (other.dur ?? 0))
        #expect(end <= from || to <= start || from <= start && end <= to || start <= from && to <= end)
      }
    }
    for flow in events where ["s", "f"].contains(flow.ph) {
      #expect(slices.contains { $0.pid == flow.pid && $0.tid == flow.tid && $0.ts == flow.ts })
    }
    let starts = events.filter { $0.ph == "s" }.compactMap(\.id)
    #expect(!starts.isEmpty)
    #expect(starts == events.filter { $0.ph == "f" }.compactMap(\.id))
    #expect(events.filter { $0.ph == "i" }.allSatisfy { $0.s == "t" })
    #expect(
      events.filter { $0.ph == "M" }.allSatisfy {
        ["process_name", "process_sort_index", "thread_name"].contains($0.name)
      })
  }

  @Test func `Times are exact to the microsecond below a second`() {
    #expect(TimeText.span(TimeSpan(nanoseconds: 412_999)) == "0.412 ms")
    #expect(TimeText.span(TimeSpan(nanoseconds: 146_318_000)) == "146.318 ms")
    #expect(TimeText.span(TimeSpan(nanoseconds: 62_004_000_000)) == "62.004 s")
  }
}

/// A run in records, at whole milliseconds.
struct Drawing {
  private var builder = TimelineBuilder()

  mutating func at(_ milliseconds: Int64, _ who: TimelineWho, _ said: Said..., text: String = "a record") {
    builder.take(
      TimelineRecord(
        at: Instant(nanoseconds: milliseconds * 1_000_000), weight: .normal, text: text, file: "journal",
        line: builder.count + 1, raw: "{}"), by: who, said)
  }

  func finished() -> Timeline {
    var builder = builder
    return builder.finish(title: "a run")
  }
}

/// What the cores hear and order, in the words of the picture.
extension Said {
  private static func heard(_ event: GuardEvent) -> Said { .core(.wallet(.app, .guardrail(event, []))) }
  private static func ordered(_ directive: GuardDirective) -> Said {
    .core(.wallet(.app, .guardrail(.deadlineReached, [directive])))
  }
  private static func heard(_ event: NodeEvent) -> Said { .core(.wallet(.app, .node(event, []))) }
  private static func ordered(_ directive: NodeDirective) -> Said {
    .core(.wallet(.app, .node(.deadlineReached, [directive])))
  }
  private static func heard(_ event: PeerEvent) -> Said { .core(.peer(event, [])) }
  private static func ordered(_ directive: PeerDirective) -> Said {
    .core(.peer(.deadlineReached, [directive]))
  }
  private static func heard(_ event: PhoneEvent) -> Said { .core(.phone(event, [])) }
  private static func ordered(_ directive: PhoneDirective) -> Said {
    .core(.phone(.deadlineReached, [directive]))
  }

  static func started(pid: Int32) -> Said { .started(.app, pid: pid) }
  static func processStarted(_ role: Role, pid: Int32) -> Said {
    heard(PhoneEvent.processStarted(role, pid: pid))
  }
  static func processEnded(_ role: Role, _ reason: PhonePolicy.EndReason) -> Said {
    ordered(PhoneDirective.recordEnd(role, reason))
  }
  static func launched(_ role: Role, _ reason: LaunchReason) -> Said {
    ordered(PhoneDirective.launch(role, reason))
  }
  static func killOrdered(_ role: Role) -> Said { ordered(PhoneDirective.kill(role, .user)) }
  static func suspended(_ role: Role) -> Said { ordered(PhoneDirective.suspend(role)) }
  static func resumed(_ role: Role) -> Said { ordered(PhoneDirective.resume(role)) }

  static func claimAsked(_ reason: ClaimReason) -> Said {
    ordered(GuardDirective.container(.claim(seen: 0, reason: reason)))
  }
  private static func claim(_ epoch: Epoch) -> Claim {
    Claim(epoch: epoch, incarnation: 1, container: ContainerID(high: 0, low: 1))
  }
  static func claimed(_ epoch: Epoch) -> Said { heard(GuardEvent.claimed(claim(epoch))) }
  static func beat(_ epoch: Epoch, _ phase: Phase, counter: UInt64) -> Said {
    ordered(GuardDirective.container(.beat(epoch: epoch, phase: phase, counter: counter)))
  }
  static var fenced: Said { heard(GuardEvent.node(.fenced)) }
  static func says(_ code: PresenceCode) -> Said {
    ordered(GuardDirective.phone(.say(PresenceMessage(code: code))))
  }
  static func hears(_ code: PresenceCode) -> Said { heard(.presenceHeard(PresenceMessage(code: code))) }

  static var dialled: Said { ordered(NodeDirective.dial(attempt: 0)) }
  static func sent(_ messages: Message...) -> Said {
    ordered(NodeDirective.send(messages.map(NodeOutgoing.message)))
  }
  static func received(_ message: Message) -> Said { heard(NodeEvent.received(message)) }
  static func connectionOpened(_ id: UInt64) -> Said { heard(PeerEvent.connected(connection: id)) }
  static func connectionAccepted(_ id: UInt64, _ epoch: Epoch) -> Said {
    ordered(PeerDirective.store([.connectionJudged(connection: id, .accepted, claim(epoch))]))
  }
  static func connectionClosed(_ id: UInt64, _ why: String) -> Said {
    heard(PeerEvent.closed(connection: id, why))
  }
  static func peerReceived(_ id: UInt64, _ message: Message) -> Said {
    heard(PeerEvent.received(connection: id, message))
  }
  static func peerSent(_ id: UInt64, _ message: Message) -> Said {
    ordered(PeerDirective.send(connection: id, message))
  }

  static var pushAsked: Said { ordered(PeerDirective.requestPush(PushRequest(reason: .incomingPayment))) }
  static func pushArrived(_ id: UInt64) -> Said {
    heard(
      PhoneEvent.pushArrived(
        PhonePush(id: id, alert: NotificationText(title: "pay", body: ""), hasMutableContent: true)))
  }
  static func pushGiven(_ id: UInt64) -> Said {
    ordered(PhoneDirective.tell(.extension, .push(id: id, deadlineMilliseconds: 0)))
  }
  static func pushHeard(_ id: UInt64) -> Said {
    heard(GuardEvent.pushArrived(Push(id: id, reason: .incomingPayment)))
  }
  static func contentGiven(_ id: UInt64) -> Said {
    ordered(GuardDirective.phone(.deliver(push: id, .nothingReceived(.incomingPayment))))
  }
  static func contentArrived(_ id: UInt64) -> Said {
    heard(PhoneEvent.contentDelivered(push: id, NotificationText(title: "Received", body: ""), key: nil))
  }
  static func pushDelivered(_ id: UInt64) -> Said {
    ordered(PhoneDirective.recordFate(push: id, .delivered))
  }
  static func notified(_ title: String, push: UInt64? = nil) -> Said {
    ordered(
      PhoneDirective.show(
        PhoneNotification(push: push, source: .content, NotificationText(title: title, body: ""))))
  }

  static func paymentAsked(_ id: UInt64, hash: Bytes32) -> Said {
    heard(
      PeerEvent.payRequested(
        PaymentRequest(
          id: id, paymentHash: hash, amountMsat: 5_000_000, holdUntil: Instant(nanoseconds: .max))))
  }
  static func paymentIs(_ outcome: PaymentOutcome, _ id: UInt64) -> Said {
    ordered(PeerDirective.answer(payment: id, outcome))
  }
  static func paymentReceived(_ hash: Bytes32) -> Said {
    heard(
      GuardEvent.node(.received(ReceivedPayment(paymentHash: hash, amountMsat: 5_000_000, text: ""))))
  }

  private static let payment = OutgoingPayment(paymentHash: .zero, amountMsat: 7000, paymentSecret: .zero)
  static var sendBegun: Said { heard(NodeEvent.payRequested(payment)) }
  static func sendRefused(_ why: NodeRefusal) -> Said {
    ordered(NodeDirective.paymentRefused(paymentHash: .zero, why))
  }
  static var sendPaid: Said {
    ordered(NodeDirective.paymentEnded(.init(payment: payment, end: .paid(preimage: .zero))))
  }
}

extension Timeline {
  func spans(_ kind: TimelineSpan.Kind) -> [TimelineSpan] { spans.filter { $0.kind == kind } }
  func arrows(_ kind: TimelineArrow.Kind) -> [TimelineArrow] { arrows.filter { $0.kind == kind } }
  func marks(_ kind: TimelineMark.Kind) -> [TimelineMark] { marks.filter { $0.kind == kind } }
  func milliseconds(_ instant: Instant) -> Int64 { (instant - start).wholeMilliseconds }
}

@Suite("Drawing a run") struct TimelineBuilderTests {
  private var owned: Drawing {
    var run = Drawing()
    run.at(0, .phone(), .processStarted(.app, pid: 7))
    run.at(1, .wallet(.app), .started(pid: 7))
    run.at(2, .wallet(.app), .claimAsked(.neverClaimed))
    run.at(3, .wallet(.app), .claimed(1))
    run.at(4, .wallet(.app), .beat(1, .claimed, counter: 1))
    return run
  }

  @Test
  func `A refused payment of the wallet ends at the refusal, beside an earlier one of the same invoice not`()
  {
    func ends(_ said: Said...) -> [Int64] {
      var run = owned
      for (number, one) in said.enumerated() { run.at(100 + Int64(number), .wallet(.app), one) }
      run.at(900, .wallet(.app), .beat(1, .established, counter: 2))
      let timeline = run.finished()
      return timeline.spans(.sent).map { timeline.milliseconds($0.to) }
    }
    let begun = Said.sendBegun
    let refused = Said.sendRefused(.notHeld)
    #expect(ends(begun, refused) == [101])
    #expect(ends(begun, begun, refused) == [900])
    #expect(ends(begun, begun, refused, .sendPaid) == [103])
    #expect(ends(begun) == [900])
  }

  @Test func `A kill, and an arrow from it to the next claim with the milliseconds between`() {
    var run = owned
    run.at(100, .phone(), .processEnded(.app, .killedFromOutside(signal: 9)))
    run.at(180, .wallet(.extension), .started(pid: 8))
    run.at(246, .wallet(.extension), .claimAsked(.holderDied))
    run.at(246, .wallet(.extension), .claimed(2))
    let timeline = run.finished()
    #expect(timeline.lanes.map(\.kind) == [.phone, .app, .extension])
    #expect(timeline.marks(.kill).map(\.label) == ["process 7: killed from outside by SIGKILL"])
    let takeover = timeline.arrows(.takeover)
    #expect(takeover.map { timeline.milliseconds($0.from) } == [100])
    #expect(takeover.map { timeline.milliseconds($0.to) } == [246])
    #expect(takeover.map(\.fromRecord) == timeline.marks(.kill).map(\.record))
    #expect(takeover.first?.label.contains("epoch 1 by epoch 2: 146.000 ms after its end") == true)
    #expect(timeline.spans(.epoch).map(\.epoch) == [1, 2])
    #expect(timeline.spans(.epoch).map { timeline.milliseconds($0.to) } == [100, 246])
    #expect(timeline.spans(.life).map(\.isOpen) == [false, true])
    #expect(timeline.anchors["node.sqlite claims 2"]?.record == 8)
  }

  @Test func `A claim that comes before the phone has recorded the holder's end is no second owner`() {
    var run = owned
    run.at(90, .wallet(.extension), .claimed(2))
    run.at(92, .phone(), .processEnded(.app, .killedFromOutside(signal: 9)))
    let timeline = run.finished()
    #expect(timeline.spans(.superseded).isEmpty)
    #expect(timeline.spans(.epoch).map { timeline.milliseconds($0.to) } == [90, 92])
    #expect(
      timeline.arrows(.takeover).map(\.label) == [
        "takeover of epoch 1 by epoch 2: claimed 2.000 ms before the phone recorded the end (killed from outside by SIGKILL)"
      ])
  }

  @Test func `An owner that is frozen is silent, then superseded until it is fenced`() {
    var run = owned
    run.at(6004, .wallet(.extension), .claimed(2))
    run.at(7000, .wallet(.app), .fenced)
    let timeline = run.finished()
    #expect(timeline.spans(.silent).map { timeline.milliseconds($0.from) } == [4])
    #expect(timeline.spans(.silent).map { timeline.milliseconds($0.to) } == [6004])
    #expect(timeline.spans(.superseded).map { timeline.milliseconds($0.from) } == [6004])
    #expect(timeline.spans(.superseded).map { timeline.milliseconds($0.to) } == [7000])
    #expect(timeline.arrows(.takeover).first?.label.contains("6.000 s after its last beat") == true)
    #expect(timeline.marks(.fenced).map { timeline.milliseconds($0.at) } == [7000])
  }

  @Test func `An owner that the next one has found silent is drawn silent, however short its beats are`() {
    var run = owned
    run.at(1000, .wallet(.extension), .claimAsked(.holderStale))
    run.at(1004, .wallet(.extension), .claimed(2))
    #expect(run.finished().spans(.silent).map(\.label) == ["no beat of epoch 1 for 1.000 s"])
  }

  @Test func `A released epoch ends, and the next claim is a takeover from the release`() {
    var run = owned
    run.at(50, .wallet(.app), .beat(1, .released, counter: 2))
    run.at(55, .wallet(.extension), .claimed(2))
    let timeline = run.finished()
    #expect(timeline.marks(.release).count == 1)
    #expect(
      timeline.arrows(.takeover).map { timeline.milliseconds($0.to) - timeline.milliseconds($0.from) } == [5])
  }

  @Test func `A claim raised by its own process is no takeover`() {
    var run = owned
    run.at(50, .wallet(.app), .claimed(9))
    let timeline = run.finished()
    #expect(timeline.arrows(.takeover).isEmpty)
    #expect(timeline.spans(.epoch).map { timeline.milliseconds($0.to) } == [50, 50])
  }

  @Test func `A presence message is an arrow from the process that says it to the one that hears it`() {
    var run = owned
    run.at(10, .wallet(.extension), .says(.extensionPing))
    run.at(11, .wallet(.extension), .says(.extensionPong))
    run.at(12, .wallet(.app), .hears(.extensionPong))
    run.at(13, .wallet(.app), .hears(.extensionUnavailable))
    let arrows = run.finished().arrows(.presence)
    #expect(arrows.map(\.label) == ["presence: pong, 1.000 ms"])
  }

  @Test func `A process that starts later hears nothing that was said before it started`() {
    var run = owned
    run.at(10, .wallet(.app), .says(.appPing))
    run.at(20, .phone(), .processStarted(.extension, pid: 9))
    run.at(25, .wallet(.app), .says(.appPing))
    run.at(26, .wallet(.extension), .hears(.appPing))
    #expect(run.finished().arrows(.presence).map(\.label) == ["presence: ping, 1.000 ms"])
  }

  @Test func `A push ends when its notification is shown`() {
    var run = owned
    run.at(10, .phone(), .pushArrived(1))
    run.at(30, .phone(), .notified("Incoming payment", push: 1))
    let timeline = run.finished()
    #expect(timeline.spans(.push).map { timeline.milliseconds($0.to) } == [30])
    #expect(timeline.spans(.push).map(\.label) == ["push 1: shown"])
  }

  @Test func `Messages are joined by the connection's epoch, in their order, and a missing one has no arrow`()
  {
    var run = owned
    let ours = Message.initMessage(InitMessage())
    let reestablish = Message.channelReestablish(.blank)
    run.at(5, .wallet(.app), .dialled, .sent(ours))
    run.at(6, .peer, .connectionOpened(3))
    run.at(7, .peer, .peerReceived(3, ours), .connectionAccepted(3, 1), .peerSent(3, ours))
    run.at(8, .wallet(.app), .received(ours), .sent(.ping(Ping(pongSize: 0)), reestablish))
    run.at(9, .peer, .peerReceived(3, reestablish))
    run.at(10, .peer, .connectionClosed(3, "the peer disconnected"))
    let timeline = run.finished()
    #expect(
      Set(timeline.arrows(.wire).map(\.label)) == [
        "init, 2.000 ms", "init, 1.000 ms", "channel_reestablish, 1.000 ms",
      ])
    #expect(timeline.spans(.connection).map(\.epoch) == [1])
    #expect(timeline.spans(.connection).map(\.label) == ["connection 3: the peer disconnected"])
  }

  @Test func `A payment is a bar from the sender's request to the settlement, with what happens to it`() {
    let hash = Bytes32([UInt8](repeating: 1, count: 32)) ?? .zero
    var run = owned
    run.at(10, .peer, .paymentAsked(4, hash: hash), .paymentIs(.held, 4))
    run.at(20, .peer, .paymentIs(.offered, 4))
    run.at(25, .wallet(.app), .paymentReceived(hash))
    run.at(30, .peer, .paymentIs(.settled(preimage: .zero), 4))
    let timeline = run.finished()
    let bars = timeline.spans.filter { timeline.lanes[$0.lane].kind == .payments }
    #expect(bars.map(\.kind) == [.asked, .held, .offered])
    #expect(timeline.marks(.settled).map(\.label) == ["payment 4, 5,000 sat: settled after 20.000 ms"])
    #expect(timeline.arrows(.payment).map(\.label) == ["received 5,000 sat, 5.000 ms after the offer"])
    #expect(timeline.anchors["ledger payments 4"]?.at == timeline.start + .milliseconds(10))
  }

  @Test func `A push goes from the peer to the phone to the process, and its text back`() {
    var run = owned
    run.at(10, .peer, .pushAsked)
    run.at(12, .phone(), .pushArrived(1), .launched(.extension, .push(1)))
    run.at(20, .phone(), .processStarted(.extension, pid: 9), .pushGiven(1))
    run.at(25, .wallet(.extension), .pushHeard(1))
    run.at(40, .wallet(.extension), .contentGiven(1))
    run.at(
      41, .phone(), .contentArrived(1), .notified("Received"),
      .pushDelivered(1))
    let timeline = run.finished()
    #expect(timeline.arrows(.push).map(\.label) == ["push 1, 2.000 ms", "push 1, 5.000 ms"])
    #expect(timeline.arrows(.content).count == 1)
    #expect(timeline.arrows(.launch).map { timeline.milliseconds($0.to) } == [20])
    #expect(timeline.spans(.push).map(\.label) == ["push 1: delivered"])
    #expect(timeline.marks(.notification).count == 1)
  }

  @Test func `A launch is the cause of one process, not of the next`() {
    var run = owned
    run.at(10, .phone(), .launched(.extension, .push(1)))
    run.at(12, .phone(), .processStarted(.extension, pid: 8))
    run.at(20, .phone(), .processEnded(.extension, .ended))
    run.at(30, .phone(), .processStarted(.extension, pid: 9))
    let timeline = run.finished()
    #expect(
      timeline.spans(.life).map(\.label) == ["process 7", "process 8: launched for push 1", "process 9"])
    #expect(timeline.arrows(.launch).count == 1)
  }

  @Test(
    arguments: [(.killed(.user), 1), (.crashed(.exited(code: 3)), 0), (.ended, 0)]
      as [(PhonePolicy.EndReason, Int)])
  func `A kill is an arrow if the process was killed, and not if it ended first`(
    end: PhonePolicy.EndReason, arrows: Int
  ) {
    var run = owned
    run.at(10, .phone(), .killOrdered(.app))
    run.at(11, .phone(), .processEnded(.app, end))
    #expect(run.finished().arrows(.kill).count == arrows)
  }

  @Test func `Suspensions and freezes last until they end or the process does`() {
    var run = owned
    run.at(10, .phone(), .suspended(.app))
    run.at(20, .phone(), .resumed(.app))
    run.at(30, .events(), .move(.freeze(.app)))
    run.at(40, .phone(), .processEnded(.app, .crashed(.exited(code: 3))))
    let timeline = run.finished()
    #expect(timeline.spans(.suspended).map { timeline.milliseconds($0.to) } == [20])
    #expect(timeline.spans(.frozen).map { timeline.milliseconds($0.to) } == [40])
    #expect(timeline.marks(.crash).count == 1)
  }
}
