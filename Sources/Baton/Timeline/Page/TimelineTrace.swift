import Ground

/// A timeline in the Trace Event Format, which Perfetto opens. A lane is a process; what may overlap there has threads
/// of its own, as slices of one thread must nest.
package enum TimelineTrace {
  private struct Event: Encodable {
    var name: String
    var cat: String?
    /// X a slice, i an instant, s and f the two ends of a flow, M a name.
    var ph: String
    /// In microseconds; three decimals are whole nanoseconds.
    var ts: Double?
    var dur: Double?
    var pid: Int
    var tid: Int
    var id: Int?
    var bp: String?
    /// The scope of an instant: its thread.
    var s: String?
    var args: Arguments?
  }

  private struct Arguments: Encodable {
    var name: String?
    var sortIndex: Int?
    var epoch: UInt64?
    var journal: String?

    enum CodingKeys: String, CodingKey {
      case name, epoch, journal
      case sortIndex = "sort_index"
    }
  }

  private struct Document: Encodable {
    var displayTimeUnit = "ms"
    var traceEvents: [Event]
  }

  /// The threads of a lane.
  private enum Track: Int, CaseIterable {
    case records = 1
    case lives, epochs, superseded, suspended, frozen, silent, messages
    static let rows = 100

    var name: String {
      switch self {
      case .records: "journal"
      case .lives: "processes"
      case .epochs: "epochs"
      case .superseded: "superseded"
      case .suspended: "suspended"
      case .frozen: "frozen"
      case .silent: "without beats"
      case .messages: "messages"
      }
    }
  }

  package static func json(_ timeline: Timeline) -> String {
    let spans = spans(timeline)
    let rows = Dictionary(grouping: spans.filter { $0.tid >= Track.rows }) { $0.pid - 1 }
      .mapValues { ($0.map(\.tid).max() ?? 0) - Track.rows + 1 }
    let events =
      names(timeline, rows) + spans + arrows(timeline) + marks(timeline) + records(timeline)
    return ((try? JSONLineEncoder().encode(Document(traceEvents: events))) ?? "{}") + "\n"
  }

  private static func names(_ timeline: Timeline, _ rows: [Int: Int]) -> [Event] {
    timeline.lanes.enumerated().flatMap { place, lane in
      let pid = place + 1
      func about(_ what: String, _ tid: Int, _ arguments: Arguments) -> Event {
        Event(name: what, ph: "M", pid: pid, tid: tid, args: arguments)
      }
      let rows = (0..<(rows[place] ?? 0)).map {
        about("thread_name", Track.rows + $0, Arguments(name: "\(lane.name) \($0 + 1)"))
      }
      return [
        about("process_name", 0, Arguments(name: lane.name)),
        about("process_sort_index", 0, Arguments(sortIndex: place)),
      ] + Track.allCases.map { about("thread_name", $0.rawValue, Arguments(name: $0.name)) } + rows
    }
  }

  private static func micros(_ instant: Instant, _ timeline: Timeline) -> Double {
    Double(max(0, (instant - timeline.start).nanoseconds)) / 1000
  }

  private static func spans(_ timeline: Timeline) -> [Event] {
    /// When each row of a lane is free again.
    var free: [Int: [Instant]] = [:]
    return timeline.spans.map { span in
      let track: Int
      switch span.kind {
      case .life: track = Track.lives.rawValue
      case .epoch: track = Track.epochs.rawValue
      case .superseded: track = Track.superseded.rawValue
      case .suspended: track = Track.suspended.rawValue
      case .frozen: track = Track.frozen.rawValue
      case .silent: track = Track.silent.rawValue
      case .connection, .push, .asked, .held, .offered, .sent:
        var ends = free[span.lane] ?? []
        let row = ends.firstIndex { $0 <= span.from } ?? ends.count
        if row == ends.count { ends.append(span.to) } else { ends[row] = span.to }
        free[span.lane] = ends
        track = Track.rows + row
      }
      return Event(
        name: span.label, cat: span.kind.rawValue, ph: "X", ts: micros(span.from, timeline),
        dur: Double((span.to - span.from).nanoseconds) / 1000, pid: span.lane + 1, tid: track,
        args: span.epoch.map { Arguments(epoch: $0) })
    }
  }

  /// A flow binds to the slice around its end, so each end has a slice of one nanosecond.
  private static func arrows(_ timeline: Timeline) -> [Event] {
    timeline.arrows.enumerated().flatMap { number, arrow in
      let track = Track.messages.rawValue
      let from = micros(arrow.from, timeline)
      let to = micros(arrow.to, timeline)
      func end(_ ph: String, _ lane: Int, _ at: Double) -> [Event] {
        [
          Event(
            name: arrow.label, cat: arrow.kind.rawValue, ph: "X", ts: at, dur: 0.001, pid: lane + 1,
            tid: track),
          Event(
            name: arrow.kind.rawValue, cat: arrow.kind.rawValue, ph: ph, ts: at, pid: lane + 1, tid: track,
            id: number + 1, bp: ph == "f" ? "e" : nil),
        ]
      }
      return end("s", arrow.fromLane, from) + end("f", arrow.toLane, to)
    }
  }

  private static func marks(_ timeline: Timeline) -> [Event] {
    timeline.marks.map { mark in
      Event(
        name: mark.label, cat: mark.kind.rawValue, ph: "i", ts: micros(mark.at, timeline), pid: mark.lane + 1,
        tid: mark.kind == .beat ? Track.epochs.rawValue : Track.records.rawValue, s: "t")
    }
  }

  private static func records(_ timeline: Timeline) -> [Event] {
    timeline.records.filter { $0.weight != .detail }.map { record in
      Event(
        name: record.text, cat: "journal", ph: "i", ts: micros(record.at, timeline), pid: record.lane + 1,
        tid: Track.records.rawValue, s: "t",
        args: Arguments(journal: record.file.map { "\($0) line \(record.line)" }))
    }
  }
}
