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
