import Ground

/// A timeline as a static SVG drawing, for a README or an issue. Items that would cover the same pixel are drawn once.
package struct TimelinePicture {
  private static let gutter = 110.0
  private static let top = 52.0
  private static let laneHeight = 64.0

  private let timeline: Timeline
  private let width: Double
  private var height: Double { Self.top + Double(timeline.lanes.count) * Self.laneHeight + 34 }

  package init(_ timeline: Timeline, width: Int = 1200) {
    self.timeline = timeline
    self.width = Double(width)
  }

  package var svg: String {
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Int(width))\" height=\"\(Int(height))\" viewBox=\"0 0 \(Int(width)) \(Int(height))\" font-family=\"system-ui, sans-serif\" font-size=\"12\">",
      "<title>\(PageFrame.escaped(timeline.title))</title>", "<style>\(Self.style)</style>", Self.patterns,
      "<rect class=\"paper\" width=\"\(Int(width))\" height=\"\(Int(height))\"/>",
      text(12, 20, timeline.title, "title"), text(12, 37, timeline.facts, "soft"),
    ]
    lines += axis
    for (place, lane) in timeline.lanes.enumerated() {
      let y = Self.top + Double(place) * Self.laneHeight
      lines.append("<line class=\"rule\" x1=\"0\" x2=\"\(Int(width))\" y1=\"\(n(y))\" y2=\"\(n(y))\"/>")
      lines.append(text(12, y + 40, lane.name, "name"))
    }
    lines += spans + arrows + marks + findings
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  // MARK: Places

  private func x(_ instant: Instant) -> Double {
    let length = Double(max(1, timeline.length.nanoseconds))
    return Self.gutter + Double((instant - timeline.start).nanoseconds) / length * (width - Self.gutter - 16)
  }

  private func bar(_ lane: Int) -> Double { Self.top + Double(lane) * Self.laneHeight + 22 }
  private static let thick = 30.0

  /// One decimal is enough, and keeps the file small.
  private func n(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    let digit = abs(tenths % 10)
    let sign = tenths < 0 && tenths > -10 ? "-" : ""
    return digit == 0 ? "\(tenths / 10)" : "\(sign)\(tenths / 10).\(digit)"
  }

  private func text(_ x: Double, _ y: Double, _ words: String, _ style: String) -> String {
    "<text class=\"\(style)\" x=\"\(n(x))\" y=\"\(n(y))\">\(PageFrame.escaped(words))</text>"
  }

  private var axis: [String] {
    let length = max(1, timeline.length.nanoseconds)
    var step: Int64 = 1000
    while length / step > 10 { step *= length / step > 50 ? 10 : length / step > 20 ? 5 : 2 }
    return stride(from: 0, through: length, by: Int64.Stride(step)).flatMap { at in
      let place = x(timeline.start + TimeSpan(nanoseconds: at))
      return [
        "<line class=\"rule\" x1=\"\(n(place))\" x2=\"\(n(place))\" y1=\"\(n(Self.top))\" y2=\"\(n(height - 22))\"/>",
        text(place + 3, height - 8, words(of: at), "soft"),
      ]
    }
  }

  private func words(of nanoseconds: Int64) -> String {
    if timeline.length >= .seconds(1) {
      let tenths = nanoseconds / 100_000_000
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
    if nanoseconds % 1_000_000 == 0 { return "\(nanoseconds / 1_000_000) ms" }
    return "\(nanoseconds / 1000) µs"
  }

  // MARK: Items

  private var spans: [String] {
    var seen: [Int: Int] = [:]
    return timeline.spans.compactMap { span in
      let left = x(span.from)
      var right = x(span.to)
      if right - left < 1.5 {
        let key =
          (span.lane * 16 + span.row) * 32 + (TimelineSpan.Kind.allCases.firstIndex(of: span.kind) ?? 0)
        guard seen[key] != Int(left) else { return nil }
        seen[key] = Int(left)
        right = left + 1.5
      }
      let rows = Double(timeline.lanes[span.lane].rows)
      let isRow = [.connection, .push, .asked, .held, .offered, .sent].contains(span.kind)
      let tall = isRow ? Self.thick / rows - 1 : Self.thick - (span.kind == .epoch ? 6 : 0)
      let y = bar(span.lane) + (isRow ? Double(span.row) * Self.thick / rows : span.kind == .epoch ? 3 : 0)
      let own = timeline.lanes[span.lane].kind == .extension ? "extension" : "app"
      let look = span.kind == .epoch ? "epoch \(own)" : span.kind.rawValue
      let box =
        "<rect class=\"\(look)\" x=\"\(n(left))\" y=\"\(n(y))\" width=\"\(n(right - left))\" height=\"\(n(tall))\"><title>\(PageFrame.escaped(span.label))</title></rect>"
      guard span.kind == .epoch, right - left > 54, let epoch = span.epoch else { return box }
      return box + text(left + 5, y + 16, "epoch \(epoch)", "on")
    }
  }

  private var arrows: [String] {
    var seen: [Int: Int] = [:]
    let count = timeline.lanes.count
    return timeline.arrows.compactMap { arrow in
      let kind = TimelineArrow.Kind.allCases.firstIndex(of: arrow.kind) ?? 0
      let (left, right) = (x(arrow.from), x(arrow.to))
      let key = (kind * count + arrow.fromLane) * count + arrow.toLane
      guard seen[key] != Int(left) * 10_000 + Int(right) else { return nil }
      seen[key] = Int(left) * 10_000 + Int(right)
      let isDown = arrow.toLane > arrow.fromLane
      let isSame = arrow.toLane == arrow.fromLane
      let from = bar(arrow.fromLane) + (isDown ? Self.thick - 2 : 2)
      let to = bar(arrow.toLane) + (isDown || isSame ? 2 : Self.thick - 2)
      return
        "<line class=\"arrow \(arrow.kind.rawValue)\" x1=\"\(n(left))\" y1=\"\(n(from))\" x2=\"\(n(right))\" y2=\"\(n(to))\" marker-end=\"url(#\(arrow.kind == .takeover || arrow.kind == .kill ? "red" : "grey"))\"><title>\(PageFrame.escaped(arrow.label))</title></line>"
    }
  }

  private var marks: [String] {
    var seen: [Int: Int] = [:]
    return timeline.marks.compactMap { mark in
      let kind = TimelineMark.Kind.allCases.firstIndex(of: mark.kind) ?? 0
      let place = x(mark.at)
      let key = mark.lane * 64 + kind
      guard seen[key] != Int(place / 2) else { return nil }
      seen[key] = Int(place / 2)
      let y = mark.kind == .beat ? bar(mark.lane) + Self.thick + 5 : bar(mark.lane) - 9
      return
        "<path class=\"mark \(mark.kind.rawValue)\" d=\"\(Self.shape(mark.kind))\" transform=\"translate(\(n(place)) \(n(y)))\"><title>\(PageFrame.escaped(mark.label))</title></path>"
    }
  }

  private var findings: [String] {
    timeline.findings.compactMap { finding in
      guard let anchor = finding.anchor else { return nil }
      let place = n(x(anchor.at))
      return
        "<path class=\"finding\" d=\"M\(place) \(n(Self.top))V\(n(height - 22))\"><title>\(PageFrame.escaped(finding.sentence))</title></path>"
    }
  }

  private static func shape(_ kind: TimelineMark.Kind) -> String {
    switch kind {
    case .kill, .crash, .failed: "M-5-5L5 5M-5 5L5-5"
    case .start: "M-3-5L5 0L-3 5Z"
    case .end: "M-4-4H4V4H-4Z"
    case .beat: "M0-3V3"
    case .claim: "M0-6L5 4H-5Z"
    case .release: "M0 6L5-4H-5Z"
    case .fenced, .refused: "M-5 0H5M-6 0A6 6 0 1 1 6 0A6 6 0 1 1-6 0"
    case .push: "M0-6L6 0L0 6L-6 0Z"
    case .notification: "M-6-4H6V3H-1L-4 6V3H-6Z"
    case .user, .received: "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0"
    case .settled: "M-5 0L-1 4L6-5"
    case .fault: "M1-7L-4 1H0L-2 7L5-2H1Z"
    case .violation: "M0-8L8 6H-8Z"
    }
  }

  private static let patterns =
    "<defs><marker id=\"red\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"redhead\" d=\"M0 0L8 4L0 8Z\"/></marker><marker id=\"grey\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"greyhead\" d=\"M0 0L8 4L0 8Z\"/></marker><pattern id=\"rising\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0V6\"/></pattern><pattern id=\"grey-rising\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path class=\"greyhatch\" d=\"M0 0V6\"/></pattern><pattern id=\"danger\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\"><path class=\"redhatch\" d=\"M0 0V6\"/></pattern></defs>"

  private static let style = """
    .paper{fill:#fff}.title{font-size:15px;font-weight:600;fill:#1b1f24}.name{font-weight:600;fill:#1b1f24}
    .soft{fill:#59636e;font-size:11px}.on{fill:#fff;font-size:11px}.rule{stroke:#d5dae0}
    .life{fill:#e3e7ec}.epoch.app{fill:#0072b2}.epoch.extension{fill:#b36b00}.connection{fill:#00785a}.push{fill:#59636e}
    .asked,.sent{fill:#8f3d77}.held{fill:url(#rising);stroke:#8f3d77}.offered{fill:#2a86c4}
    .suspended{fill:url(#grey-rising)}.superseded,.frozen,.silent{fill:url(#danger);stroke:#c4320a}
    .arrow{stroke:#59636e;stroke-width:.8}.arrow.wire{opacity:.6}.arrow.presence{stroke-dasharray:5 3}
    .arrow.takeover{stroke:#c4320a;stroke-width:2.2}.arrow.kill{stroke:#c4320a;stroke-width:1.6}
    .redhead{fill:#c4320a}.greyhead{fill:#59636e}.hatch{stroke:#8f3d77;stroke-width:2}.greyhatch{stroke:#59636e;stroke-width:1.5}.redhatch{stroke:#c4320a;stroke-width:2}
    .mark{fill:#1b1f24;stroke:#1b1f24}.mark.kill,.mark.crash,.mark.failed,.mark.fenced,.mark.refused{fill:none;stroke:#c4320a;stroke-width:2}
    .mark.settled{fill:none;stroke:#00785a;stroke-width:2}.mark.fault,.mark.violation{fill:#c4320a;stroke:none}
    .mark.push{fill:#59636e;stroke:none}.mark.received{fill:#8f3d77;stroke:none}.finding{stroke:#c4320a;stroke-width:2}
    @media (prefers-color-scheme:dark){.paper{fill:#14171b}.title,.name{fill:#e8ebef}.soft{fill:#9aa4b0}.on{fill:#14171b}
    .rule{stroke:#363d46}.life{fill:#2b3139}.epoch.app{fill:#56b4e9}.epoch.extension{fill:#f0b23c}.mark{fill:#e8ebef;stroke:#e8ebef}}
    """
}

/// A timeline in the Trace Event Format, which Perfetto opens. A lane is a process; what may overlap there has threads
/// of its own, as slices of one thread must nest.
package enum TimelineTrace {
  /// The threads of a lane, from 1 on; behind these the rows of what may overlap.
  private static let threads: [(name: String, kind: TimelineSpan.Kind?)] = [
    ("journal", nil), ("processes", .life), ("epochs", .epoch), ("superseded", .superseded),
    ("suspended", .suspended), ("frozen", .frozen), ("without beats", .silent), ("messages", nil),
  ]
  private static let journal = 1
  private static let messages = threads.count
  private static let rows = 100

  private static func thread(_ kind: TimelineSpan.Kind) -> Int? {
    threads.firstIndex { $0.kind == kind }.map { $0 + 1 }
  }

  package static func json(_ timeline: Timeline) -> String {
    let tracks = tracks(timeline)
    let spans = zip(timeline.spans, tracks).map { span($0, onThread: $1, timeline) }
    let events =
      names(timeline, tracks) + spans + arrows(timeline) + marks(timeline) + records(timeline)
    let document: JSONValue = ["displayTimeUnit": .string("ms"), "traceEvents": .array(events)]
    return document.json + "\n"
  }

  private static func names(_ timeline: Timeline, _ tracks: [Int]) -> [JSONValue] {
    timeline.lanes.enumerated().flatMap { place, lane in
      func about(_ what: String, _ tid: Int, _ arguments: JSONValue) -> JSONValue {
        [
          "name": .string(what), "ph": .string("M"), "pid": .integer(place + 1), "tid": .integer(tid),
          "args": arguments,
        ]
      }
      func thread(_ tid: Int, _ name: String) -> JSONValue {
        about("thread_name", tid, ["name": .string(name)])
      }
      let last = zip(timeline.spans, tracks).filter { $0.0.lane == place }.map(\.1).max() ?? 0
      return [
        about("process_name", 0, ["name": .string(lane.name)]),
        about("process_sort_index", 0, ["sort_index": .integer(place)]),
      ] + threads.enumerated().map { thread($0 + 1, $1.name) }
        + (rows..<max(rows, last + 1)).map { thread($0, "\(lane.name) \($0 - rows + 1)") }
    }
  }

  /// In microseconds; three decimals are whole nanoseconds.
  private static func micros(_ span: TimeSpan) -> JSONValue {
    let nanoseconds = max(0, span.nanoseconds)
    return .number("\(nanoseconds / 1000).\(String(1000 + nanoseconds % 1000).dropFirst())")
  }

  /// The thread of each span.
  private static func tracks(_ timeline: Timeline) -> [Int] {
    /// When each row of a lane is free again.
    var free: [Int: [Instant]] = [:]
    return timeline.spans.map { span in
      if let thread = thread(span.kind) { return thread }
      var ends = free[span.lane] ?? []
      let row = ends.firstIndex { $0 <= span.from } ?? ends.count
      if row == ends.count { ends.append(span.to) } else { ends[row] = span.to }
      free[span.lane] = ends
      return rows + row
    }
  }

  /// X a slice, i an instant, s and f the two ends of a flow, M a name.
  private static func span(_ span: TimelineSpan, onThread tid: Int, _ timeline: Timeline) -> JSONValue {
    [
      "name": .string(span.label), "cat": .string(span.kind.rawValue), "ph": .string("X"),
      "ts": micros(span.from - timeline.start), "dur": micros(span.to - span.from),
      "pid": .integer(span.lane + 1), "tid": .integer(tid),
      "args": span.epoch.map { ["epoch": .integer($0)] },
    ]
  }

  /// A flow binds to the slice around its end, so each end has a slice of one nanosecond.
  private static func arrows(_ timeline: Timeline) -> [JSONValue] {
    timeline.arrows.enumerated().flatMap { number, arrow in
      func end(_ ph: String, _ lane: Int, _ at: Instant) -> [JSONValue] {
        let (kind, ts) = (JSONValue.string(arrow.kind.rawValue), micros(at - timeline.start))
        let (pid, tid) = (JSONValue.integer(lane + 1), JSONValue.integer(messages))
        return [
          [
            "name": .string(arrow.label), "cat": kind, "ph": .string("X"), "ts": ts, "dur": .number("0.001"),
            "pid": pid, "tid": tid,
          ],
          [
            "name": kind, "cat": kind, "ph": .string(ph), "ts": ts, "pid": pid, "tid": tid,
            "id": .integer(number + 1), "bp": ph == "f" ? .string("e") : nil,
          ],
        ]
      }
      return end("s", arrow.fromLane, arrow.from) + end("f", arrow.toLane, arrow.to)
    }
  }

  private static func marks(_ timeline: Timeline) -> [JSONValue] {
    timeline.marks.map { mark in
      let tid = mark.kind == .beat ? thread(.epoch) ?? journal : journal
      return instant(mark.label, mark.kind.rawValue, mark.at, mark.lane, tid, timeline)
    }
  }

  private static func records(_ timeline: Timeline) -> [JSONValue] {
    timeline.records.filter { $0.weight != .detail }.map { record in
      instant(
        record.text, "journal", record.at, record.lane, journal, timeline,
        arguments: ["journal": record.file.map { .string("\($0) line \(record.line)") }])
    }
  }

  /// Its scope is its thread.
  private static func instant(
    _ name: String, _ category: String, _ at: Instant, _ lane: Int, _ tid: Int, _ timeline: Timeline,
    arguments: JSONValue? = nil
  ) -> JSONValue {
    [
      "name": .string(name), "cat": .string(category), "ph": .string("i"),
      "ts": micros(at - timeline.start), "pid": .integer(lane + 1), "tid": .integer(tid), "s": .string("t"),
      "args": arguments,
    ]
  }
}
