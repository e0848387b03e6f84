import Crypto
import Ground

/// A timeline as one HTML file.
package enum TimelinePage {
  /// The journals' own lines are shown as far as they fit in this.
  private static let rawBytesMax = 8 << 20
  private static let rawLineMax = 1200

  package static func html(_ timeline: Timeline) -> String {
    let (data, texts) = (TimelineData(timeline).json, texts(timeline, rawLineMax: rawLine(timeline)).json)
    return PageFrame(
      title: timeline.title, styles: [PackageResources.frame_css, PackageResources.timeline_css],
      body: PackageResources.timeline_body_html, early: [.init(id: "data", json: data)],
      script: PackageResources.timeline_js, late: [.init(id: "texts", json: texts)]
    ).html
  }

  /// How much of each journal line is in the page; 0 for none.
  private static func rawLine(_ timeline: Timeline) -> Int {
    let share = rawBytesMax / max(1, timeline.records.count)
    return share < 160 ? 0 : min(share, rawLineMax)
  }

  /// Only read when the user points at something.
  private static func texts(_ timeline: Timeline, rawLineMax: Int) -> JSONValue {
    func cut(_ text: String) -> String {
      text.utf8.count <= rawLineMax
        ? text : String(decoding: text.utf8.prefix(rawLineMax), as: UTF8.self) + "…"
    }
    return [
      "sentences": .strings(timeline.records.map(\.text)),
      "raws": .strings(rawLineMax == 0 ? [] : timeline.records.map { cut($0.raw) }),
      "spans": .strings(timeline.spans.map(\.label)), "arrows": .strings(timeline.arrows.map(\.label)),
      "marks": .strings(timeline.marks.map(\.label)),
    ]
  }
}

extension JSONValue {
  fileprivate static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

  static func integer(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }
}

/// The numbers of a timeline, by columns: what is drawn before any text is read.
private struct TimelineData {
  private let timeline: Timeline

  init(_ timeline: Timeline) { self.timeline = timeline }

  var json: String {
    var files: [String] = []
    var places: [String: Int] = [:]
    for record in timeline.records where places[record.file ?? ""] == nil {
      places[record.file ?? ""] = files.count
      files.append(record.file ?? "")
    }
    let lanes = timeline.lanes.map { lane -> JSONValue in
      ["kind": .string(lane.kind.rawValue), "name": .string(lane.name), "rows": .integer(lane.rows)]
    }
    let spans = columns(
      timeline.spans, ("from", \.from),
      [
        ("lane", \.lane), ("row", \.row), ("kind", { Self.place($0.kind) }),
        ("took", { Int(($0.to - $0.from).nanoseconds) }), ("epoch", { Int(clamping: $0.epoch ?? 0) }),
        ("record", \.record),
      ])
    let arrows = columns(
      timeline.arrows, ("from", \.from),
      [
        ("kind", { Self.place($0.kind) }), ("fromLane", \.fromLane), ("toLane", \.toLane),
        ("took", { Int(($0.to - $0.from).nanoseconds) }), ("fromRecord", \.fromRecord),
        ("toRecord", \.toRecord),
      ])
    let marks = columns(
      timeline.marks, ("at", \.at),
      [("lane", \.lane), ("kind", { Self.place($0.kind) }), ("record", \.record)])
    let records = columns(
      timeline.records, ("at", \.at),
      [
        ("lane", \.lane), ("weight", { $0.weight.rawValue }), ("file", { places[$0.file ?? ""] ?? 0 }),
        ("line", \.line),
      ])
    let findings = timeline.findings.map { finding -> JSONValue in
      [
        "title": .string(finding.title), "sentence": .string(finding.sentence),
        "at": (finding.anchor?.at).map { .integer(since($0)) },
        "record": (finding.anchor?.record).map { .integer($0) },
      ]
    }
    let page: JSONValue = [
      "title": .string(timeline.title), "facts": .string(timeline.facts),
      "length": .integer(timeline.length.nanoseconds),
      "startWallMs": timeline.startWall.map { .integer($0 / 1_000_000) }, "lanes": .array(lanes),
      "spanKinds": Self.names(TimelineSpan.Kind.self), "arrowKinds": Self.names(TimelineArrow.Kind.self),
      "markKinds": Self.names(TimelineMark.Kind.self), "spans": spans, "arrows": arrows,
      "marks": marks, "records": records, "files": .strings(files), "findings": .array(findings),
      "remarks": .strings(timeline.remarks),
    ]
    return page.json
  }

  private func since(_ instant: Instant) -> Int64 { max(0, (instant - timeline.start).nanoseconds) }

  /// Instants are written as differences.
  private func columns<Item>(
    _ items: [Item], _ time: (name: String, at: (Item) -> Instant), _ others: [(String, (Item) -> Int)]
  ) -> JSONValue {
    var last: Int64 = 0
    let differences = items.map { item in
      let now = since(time.at(item))
      defer { last = now }
      return now - last
    }
    func column(_ values: [some BinaryInteger]) -> JSONValue {
      .string(values.map { String($0, radix: 36) }.joined(separator: " "))
    }
    return .object(
      [JSONMember(key: time.name, value: column(differences))]
        + others.map { name, number in JSONMember(key: name, value: column(items.map(number))) })
  }

  private static func names<Kind: CaseIterable & RawRepresentable<String>>(_: Kind.Type) -> JSONValue {
    .strings(Kind.allCases.map(\.rawValue))
  }

  private static func place<Kind: CaseIterable & Hashable>(_ kind: Kind) -> Int {
    Kind.allCases.enumerated().first { $0.element == kind }?.offset ?? 0
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

/// The page of a phone that runs: it asks its server for what there is to see.
struct LivePage {
  let home: String
  /// The server takes actions.
  let isControlled: Bool
  /// Nil if this page was opened without it; the browser may have kept it.
  let token: String?

  var html: String {
    let actions = LiveAction.allCases.map { action -> JSONValue in
      [
        "name": .string(action.rawValue), "words": .string(action.words), "meaning": .string(action.meaning),
      ]
    }
    let setup: JSONValue = [
      "home": .string(home), "token": token.map(JSONValue.string),
      "actions": isControlled ? .array(actions) : nil,
    ]
    var frame = PageFrame(
      title: "Baton: \(home)", styles: [PackageResources.frame_css, PackageResources.live_css],
      body: PackageResources.live_body_html, script: PackageResources.live_js)
    frame.asksItsServer = true
    frame.early = [PageFrame.Element(id: "setup", json: setup.json)]
    return frame.html
  }
}

/// The frame of a page in one file: styles, data and script inside, nothing loaded. The page's policy allows this script
/// and this style by their hashes and nothing else, so text from a run cannot become code.
package struct PageFrame {
  /// JSON that the script finds by its id.
  package struct Element: Hashable, Sendable {
    package var id: String
    package var json: String
  }

  package var title: String
  package var styles: [[UInt8]]
  package var body: [UInt8]
  /// The script finds these at once, and the late ones when the page is whole.
  package var early: [Element] = []
  package var script: [UInt8] = []
  package var late: [Element] = []
  /// The page may ask the server that it came from, and nobody else.
  var asksItsServer = false

  package var html: String {
    let style = styles.map { String(decoding: $0, as: UTF8.self) }.joined()
    let code = String(decoding: script, as: UTF8.self)
    let policy =
      "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src '\(Self.hash(style))'"
      + (code.isEmpty ? "" : "; script-src '\(Self.hash(code))'")
      + (asksItsServer ? "; connect-src 'self'" : "")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">\(asksItsServer ? "\n<link rel=\"icon\" href=\"data:,\">" : "")
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <title>\(Self.escaped(title))</title>
      <style>\(style)</style>
      <body>
      \(String(decoding: body, as: UTF8.self))
      \(early.map(Self.element).joined())\(code.isEmpty ? "" : "<script>\(code)</script>\n")\(late.map(Self.element).joined())</body>
      </html>

      """
  }

  /// A `<` could end the element, or begin a comment in it.
  private static func element(_ one: Element) -> String {
    "<script type=\"application/json\" id=\"\(one.id)\">\(inElement(one.json))</script>\n"
  }

  static func inElement(_ json: String) -> String {
    guard json.utf8.contains(UInt8(ascii: "<")) else { return json }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.utf8.count)
    for byte in json.utf8 {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Text as text in HTML and SVG, also between quotation marks.
  package static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // XML has no other control characters.
      case 0..<0x20 where byte != 9 && byte != 10 && byte != 13: bytes += "\u{fffd}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hash(_ text: String) -> String {
    "sha256-\(Base64.encode(SHA256.hash(Array(text.utf8)).bytes))"
  }
}
