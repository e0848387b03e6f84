import Ground

/// A timeline as one HTML file.
package enum TimelinePage {
  /// The journals' own lines are shown as far as they fit in this.
  private static let rawBytesMax = 8 << 20
  private static let rawLineMax = 1200

  package static func html(_ timeline: Timeline) -> String {
    let encoder = JSONLineEncoder()
    let data = (try? encoder.encode(TimelineData(timeline))) ?? "{}"
    let texts = (try? encoder.encode(Texts(timeline, rawLineMax: rawLine(timeline)))) ?? "{}"
    return PageFrame(
      title: timeline.title, styles: [PackageResources.frame_css, PackageResources.timeline_css],
      body: PackageResources.timeline_body_html, early: [.init(id: "data", json: data)],
      script: PackageResources.timeline_js,
      late: [.init(id: "texts", json: texts)]
    ).html
  }

  /// How much of each journal line is in the page; 0 for none.
  private static func rawLine(_ timeline: Timeline) -> Int {
    let share = rawBytesMax / max(1, timeline.records.count)
    return share < 160 ? 0 : min(share, rawLineMax)
  }

  /// Only read when the user points at something.
  private struct Texts: Encodable {
    var sentences: [String]
    var raws: [String]
    var spans: [String]
    var arrows: [String]
    var marks: [String]

    init(_ timeline: Timeline, rawLineMax: Int) {
      sentences = timeline.records.map(\.text)
      raws = rawLineMax == 0 ? [] : timeline.records.map { Self.cut($0.raw, rawLineMax) }
      spans = timeline.spans.map(\.label)
      arrows = timeline.arrows.map(\.label)
      marks = timeline.marks.map(\.label)
    }

    private static func cut(_ text: String, _ most: Int) -> String {
      text.utf8.count <= most ? text : String(decoding: text.utf8.prefix(most), as: UTF8.self) + "…"
    }
  }
}

/// The numbers of a timeline, by columns: what is drawn before any text is read.
struct TimelineData: Encodable {
  struct Lane: Encodable {
    var kind: String
    var name: String
    var rows: Int
  }

  struct Spans: Encodable {
    var lane: String
    var row: String
    var kind: String
    var from: String
    var took: String
    var epoch: String
    var record: String
  }

  struct Arrows: Encodable {
    var kind: String
    var fromLane: String
    var toLane: String
    var from: String
    var took: String
    var fromRecord: String
    var toRecord: String
  }

  struct Marks: Encodable {
    var lane: String
    var kind: String
    var at: String
    var record: String
  }

  struct Records: Encodable {
    var lane: String
    var at: String
    var weight: String
    var file: String
    var line: String
  }

  struct Finding: Encodable {
    var title: String
    var sentence: String
    var at: Int64?
    var record: Int?
  }

  var title: String
  var facts: String
  var length: Int64
  var startWallMs: Int64?
  var lanes: [Lane]
  var spanKinds = TimelineSpan.Kind.allCases.map(\.rawValue)
  var arrowKinds = TimelineArrow.Kind.allCases.map(\.rawValue)
  var markKinds = TimelineMark.Kind.allCases.map(\.rawValue)
  var spans: Spans
  var arrows: Arrows
  var marks: Marks
  var records: Records
  var files: [String]
  var findings: [Finding]
  var remarks: [String]

  init(_ timeline: Timeline) {
    let start = timeline.start
    let since = { (instant: Instant) in max(0, (instant - start).nanoseconds) }
    title = timeline.title
    facts = timeline.facts
    length = timeline.length.nanoseconds
    startWallMs = timeline.startWall.map { $0 / 1_000_000 }
    lanes = timeline.lanes.map { Lane(kind: $0.kind.rawValue, name: $0.name, rows: $0.rows) }
    spans = Spans(
      lane: Self.column(timeline.spans) { $0.lane }, row: Self.column(timeline.spans) { $0.row },
      kind: Self.column(timeline.spans) { Self.place($0.kind) },
      from: Self.differences(timeline.spans.map { since($0.from) }),
      took: Self.column(timeline.spans) { Int(($0.to - $0.from).nanoseconds) },
      epoch: Self.column(timeline.spans) { Int(clamping: $0.epoch ?? 0) },
      record: Self.column(timeline.spans) { $0.record })
    arrows = Arrows(
      kind: Self.column(timeline.arrows) { Self.place($0.kind) },
      fromLane: Self.column(timeline.arrows) { $0.fromLane },
      toLane: Self.column(timeline.arrows) { $0.toLane },
      from: Self.differences(timeline.arrows.map { since($0.from) }),
      took: Self.column(timeline.arrows) { Int(($0.to - $0.from).nanoseconds) },
      fromRecord: Self.column(timeline.arrows) { $0.fromRecord },
      toRecord: Self.column(timeline.arrows) { $0.toRecord })
    marks = Marks(
      lane: Self.column(timeline.marks) { $0.lane },
      kind: Self.column(timeline.marks) { Self.place($0.kind) },
      at: Self.differences(timeline.marks.map { since($0.at) }),
      record: Self.column(timeline.marks) { $0.record })
    var places: [String: Int] = [:]
    files = []
    var numbers: [Int] = []
    for record in timeline.records {
      let name = record.file ?? ""
      if places[name] == nil {
        places[name] = files.count
        files.append(name)
      }
      numbers.append(places[name] ?? 0)
    }
    records = Records(
      lane: Self.column(timeline.records) { $0.lane },
      at: Self.differences(timeline.records.map { since($0.at) }),
      weight: Self.column(timeline.records) { $0.weight.rawValue },
      file: Self.column(numbers) { $0 }, line: Self.column(timeline.records) { $0.line })
    findings = timeline.findings.map {
      Finding(
        title: $0.title, sentence: $0.sentence, at: ($0.anchor?.at).map(since), record: $0.anchor?.record)
    }
    remarks = timeline.remarks
  }

  private static func place<Kind: CaseIterable & Hashable>(_ kind: Kind) -> Int {
    Kind.allCases.enumerated().first { $0.element == kind }?.offset ?? 0
  }

  private static func column<Item>(_ items: [Item], _ number: (Item) -> Int) -> String {
    items.map { String(number($0), radix: 36) }.joined(separator: " ")
  }

  private static func differences(_ sorted: [Int64]) -> String {
    var last: Int64 = 0
    return sorted.map { number in
      defer { last = number }
      return String(number - last, radix: 36)
    }.joined(separator: " ")
  }
}

extension Timeline {
  /// Figures for the line below the title.
  var facts: String {
    let kinds = { (kind: TimelineMark.Kind) in marks.count { $0.kind == kind } }
    let counted: [(Int, String, String)] = [
      (records.count, "record", "records"), (kinds(.claim), "claim", "claims"),
      (arrows.count { $0.kind == .takeover }, "takeover", "takeovers"), (kinds(.kill), "kill", "kills"),
      (kinds(.settled), "payment settled", "payments settled"),
      (kinds(.notification), "notification", "notifications"),
    ]
    let words = counted.filter { $0.0 > 0 }.map {
      "\(AmountText.grouped(UInt64($0.0))) \($0.0 == 1 ? $0.1 : $0.2)"
    }
    return ([TimeText.span(length)] + words).joined(separator: ", ")
  }
}
