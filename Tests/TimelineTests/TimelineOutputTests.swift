import Ground
import Testing

@testable import Baton

@Suite("A run as a page, a picture and a trace") struct TimelineOutputTests {
  private static let hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\u{0}\"'&"

  private var timeline: Timeline {
    var run = Drawing()
    run.at(0, .wallet(.app), .started(pid: 7), text: Self.hostile)
    run.at(1, .wallet(.app), .claimed(1, why: Self.hostile))
    run.at(2, .peer, .connectionOpened(1), .connectionOpened(2))
    run.at(3, .peer, .connectionClosed(1, why: Self.hostile))
    run.at(4, .peer, .connectionClosed(2, why: "end"))
    run.at(5, .phone(), .processEnded(.app, .killed, why: Self.hostile), .notified(Self.hostile, push: nil))
    run.at(9, .wallet(.extension), .claimed(2, why: ""))
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

  @Test func `Base64 as in the examples of RFC 4648`() {
    let examples = [
      "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=",
      "foobar": "Zm9vYmFy",
    ]
    for (plain, text) in examples { #expect(Base64.text(Array(plain.utf8)) == text) }
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

/// A run in facts, at whole milliseconds.
struct Drawing {
  private var builder = TimelineBuilder()

  mutating func at(_ milliseconds: Int64, _ who: TimelineWho, _ facts: TimelineFact..., text: String = "") {
    builder.take(
      TimelineRecord(
        at: Instant(nanoseconds: milliseconds * 1_000_000), weight: .normal, text: text, file: "journal",
        line: builder.count + 1, raw: "{}"), by: who, facts)
  }

  func finished() -> Timeline {
    var builder = builder
    return builder.finish(title: "a run")
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
    run.at(2, .wallet(.app), .claimAsked(why: "never claimed before", holderIsSilent: false))
    run.at(3, .wallet(.app), .claimed(1, why: ""))
    run.at(4, .wallet(.app), .beat(1, phase: "claimed", counter: 1))
    return run
  }

  @Test
  func `A refused payment of the wallet ends at the refusal, beside an earlier one of the same invoice not`()
  {
    func ends(_ facts: TimelineFact...) -> [Int64] {
      var run = owned
      for (number, fact) in facts.enumerated() { run.at(100 + Int64(number), .wallet(.app), fact) }
      run.at(900, .wallet(.app), .beat(1, phase: "established", counter: 2))
      let timeline = run.finished()
      return timeline.spans(.sent).map { timeline.milliseconds($0.to) }
    }
    let begun = TimelineFact.sendBegun(.zero, words: "pays")
    let refused = TimelineFact.sendRefused(.zero, words: "refused")
    #expect(ends(begun, refused) == [101])
    #expect(ends(begun, begun, refused) == [900])
    #expect(ends(begun, begun, refused, .sendEnded(.zero, isPaid: true, words: "paid")) == [103])
    #expect(ends(begun) == [900])
  }

  @Test func `A kill, and an arrow from it to the next claim with the milliseconds between`() {
    var run = owned
    run.at(100, .phone(), .processEnded(.app, .killed, why: "killed from outside by SIGKILL"))
    run.at(180, .wallet(.extension), .started(pid: 8))
    run.at(
      246, .wallet(.extension), .claimAsked(why: "the holder died without a release", holderIsSilent: false))
    run.at(246, .wallet(.extension), .claimed(2, why: ""))
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
    run.at(90, .wallet(.extension), .claimed(2, why: "the holder died without a release"))
    run.at(92, .phone(), .processEnded(.app, .killed, why: "killed from outside by SIGKILL"))
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
    run.at(6004, .wallet(.extension), .claimed(2, why: "the holder went silent"))
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
    run.at(1000, .wallet(.extension), .claimAsked(why: "the holder went silent", holderIsSilent: true))
    run.at(1004, .wallet(.extension), .claimed(2, why: ""))
    #expect(run.finished().spans(.silent).map(\.label) == ["no beat of epoch 1 for 1.000 s"])
  }

  @Test func `A released epoch ends, and the next claim is a takeover from the release`() {
    var run = owned
    run.at(50, .wallet(.app), .released(1))
    run.at(55, .wallet(.extension), .claimed(2, why: "the holder released it"))
    let timeline = run.finished()
    #expect(timeline.marks(.release).count == 1)
    #expect(
      timeline.arrows(.takeover).map { timeline.milliseconds($0.to) - timeline.milliseconds($0.from) } == [5])
  }

  @Test func `A claim raised by its own process is no takeover`() {
    var run = owned
    run.at(50, .wallet(.app), .claimed(9, why: "the peer knew a higher epoch"))
    let timeline = run.finished()
    #expect(timeline.arrows(.takeover).isEmpty)
    #expect(timeline.spans(.epoch).map { timeline.milliseconds($0.to) } == [50, 50])
  }

  @Test func `A presence message is an arrow from the process that says it to the one that hears it`() {
    var run = owned
    run.at(10, .wallet(.extension), .said("presence: ping"))
    run.at(11, .wallet(.extension), .said("presence: pong"))
    run.at(12, .wallet(.app), .heard("presence: pong"))
    run.at(13, .wallet(.app), .heard("presence: unavailable"))
    let arrows = run.finished().arrows(.presence)
    #expect(arrows.map(\.label) == ["presence: pong, 1.000 ms"])
  }

  @Test func `A process that starts later hears nothing that was said before it started`() {
    var run = owned
    run.at(10, .wallet(.app), .said("presence: ping"))
    run.at(20, .phone(), .processStarted(.extension, pid: 9))
    run.at(25, .wallet(.app), .said("presence: ping"))
    run.at(26, .wallet(.extension), .heard("presence: ping"))
    #expect(run.finished().arrows(.presence).map(\.label) == ["presence: ping, 1.000 ms"])
  }

  @Test func `A push ends when its notification is shown`() {
    var run = owned
    run.at(10, .phone(), .pushArrived(1, isSilent: false))
    run.at(30, .phone(), .notified("“Incoming payment”", push: 1))
    let timeline = run.finished()
    #expect(timeline.spans(.push).map { timeline.milliseconds($0.to) } == [30])
    #expect(timeline.spans(.push).map(\.label) == ["push 1: shown"])
  }

  @Test func `Messages are joined by the connection's epoch, in their order, and a missing one has no arrow`()
  {
    var run = owned
    run.at(5, .wallet(.app), .dialled, .sent([16]))
    run.at(6, .peer, .connectionOpened(3))
    run.at(
      7, .peer, .peerReceived(3, type: 16), .connectionJudged(3, 1, isAccepted: true, words: "accepted"),
      .peerSent(3, type: 16))
    run.at(8, .wallet(.app), .received(16), .sent([18, 136]))
    run.at(9, .peer, .peerReceived(3, type: 136))
    run.at(10, .peer, .connectionClosed(3, why: "the peer disconnected"))
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
    run.at(10, .peer, .paymentAsked(4, hash: hash, words: "payment 4, 5,000 sat"), .paymentHeld(4))
    run.at(20, .peer, .paymentOffered(4))
    run.at(25, .wallet(.app), .paymentReceived(hash, words: "received 5,000 sat"))
    run.at(30, .peer, .paymentSettled(4))
    let timeline = run.finished()
    let bars = timeline.spans.filter { timeline.lanes[$0.lane].kind == .payments }
    #expect(bars.map(\.kind) == [.asked, .held, .offered])
    #expect(timeline.marks(.settled).map(\.label) == ["payment 4, 5,000 sat: settled after 20.000 ms"])
    #expect(timeline.arrows(.payment).map(\.label) == ["received 5,000 sat, 5.000 ms after the offer"])
    #expect(timeline.anchors["ledger payments 4"]?.at == timeline.start + .milliseconds(10))
  }

  @Test func `A push goes from the peer to the phone to the process, and its text back`() {
    var run = owned
    run.at(10, .peer, .pushAsked(isSilent: false))
    run.at(12, .phone(), .pushArrived(1, isSilent: false), .launched(.extension, why: "for push 1"))
    run.at(20, .phone(), .processStarted(.extension, pid: 9), .pushGiven(.extension, 1))
    run.at(25, .wallet(.extension), .pushHeard(1))
    run.at(40, .wallet(.extension), .contentGiven(1))
    run.at(
      41, .phone(), .contentArrived(1), .notified("“Received”", push: nil),
      .pushFate(1, isEnd: true, words: "delivered"))
    let timeline = run.finished()
    #expect(timeline.arrows(.push).map(\.label) == ["push 1, 2.000 ms", "push 1, 5.000 ms"])
    #expect(timeline.arrows(.content).count == 1)
    #expect(timeline.arrows(.launch).map { timeline.milliseconds($0.to) } == [20])
    #expect(timeline.spans(.push).map(\.label) == ["push 1: delivered"])
    #expect(timeline.marks(.notification).count == 1)
  }

  @Test func `A launch is the cause of one process, not of the next`() {
    var run = owned
    run.at(10, .phone(), .launched(.extension, why: "for push 1"))
    run.at(12, .phone(), .processStarted(.extension, pid: 8))
    run.at(20, .phone(), .processEnded(.extension, .ended, why: "ended"))
    run.at(30, .phone(), .processStarted(.extension, pid: 9))
    let timeline = run.finished()
    #expect(timeline.spans(.life).map(\.label) == ["process 7", "process 8: for push 1", "process 9"])
    #expect(timeline.arrows(.launch).count == 1)
  }

  @Test(arguments: [(.killed, 1), (.crashed, 0), (.ended, 0)] as [(TimelineFact.End, Int)])
  func `A kill is an arrow if the process was killed, and not if it ended first`(
    end: TimelineFact.End, arrows: Int
  ) {
    var run = owned
    run.at(10, .phone(), .killOrdered(.app, why: "the time is over"))
    run.at(11, .phone(), .processEnded(.app, end, why: "it ended"))
    #expect(run.finished().arrows(.kill).count == arrows)
  }

  @Test func `Suspensions and freezes last until they end or the process does`() {
    var run = owned
    run.at(10, .phone(), .suspended(.app))
    run.at(20, .phone(), .resumed(.app))
    run.at(30, .events(), .frozen(.app))
    run.at(40, .phone(), .processEnded(.app, .crashed, why: "crashed"))
    let timeline = run.finished()
    #expect(timeline.spans(.suspended).map { timeline.milliseconds($0.to) } == [20])
    #expect(timeline.spans(.frozen).map { timeline.milliseconds($0.to) } == [40])
    #expect(timeline.marks(.crash).count == 1)
  }
}
