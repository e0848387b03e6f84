import Crypto
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
      script: PackageResources.timeline_js, late: [.init(id: "texts", json: texts)]
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

/// The page of a phone that runs: it asks its server for what there is to see.
package struct LivePage {
  package struct Action: Hashable, Sendable {
    package var name: String
    package var words: String
    package var meaning: String

    package init(_ name: String, _ words: String, _ meaning: String) {
      self.name = name
      self.words = words
      self.meaning = meaning
    }
  }

  package enum Control: Hashable, Sendable {
    case none
    /// The server takes actions, but this page was opened without the token; the browser may have kept it.
    case needsToken([Action])
    case buttons(token: String, [Action])
  }

  private let home: String
  package var control = Control.none

  package init(home: String) { self.home = home }

  package var html: String {
    var frame = PageFrame(
      title: "Baton: \(home)", styles: [PackageResources.frame_css, PackageResources.live_css],
      body: PackageResources.live_body_html, script: PackageResources.live_js)
    frame.asksItsServer = true
    frame.early = [PageFrame.Element(id: "setup", json: setup.json)]
    return frame.html
  }

  private var setup: JSONValue {
    func object(_ members: [(String, String)]) -> JSONValue {
      .object(members.map { JSONMember(key: $0.0, value: .string($0.1)) })
    }
    var members = [JSONMember(key: "home", value: .string(home))]
    func actions(_ all: [Action]) -> JSONMember {
      let buttons = all.map { object([("name", $0.name), ("words", $0.words), ("meaning", $0.meaning)]) }
      return JSONMember(key: "actions", value: .array(buttons))
    }
    switch control {
    case .none: break
    case .needsToken(let all): members.append(actions(all))
    case .buttons(let token, let all):
      members += [JSONMember(key: "token", value: .string(token)), actions(all)]
    }
    return .object(members)
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

  package init(
    title: String, styles: [[UInt8]], body: [UInt8], early: [Element] = [], script: [UInt8] = [],
    late: [Element] = [], asksItsServer: Bool = false
  ) {
    (self.title, self.styles, self.body) = (title, styles, body)
    (self.early, self.script, self.late) = (early, script, late)
    self.asksItsServer = asksItsServer
  }

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
    "sha256-\(Base64.text(SHA256.hash(Array(text.utf8)).bytes))"
  }
}

/// Base64 of RFC 4648, as a page's policy writes hashes.
enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let piece = bytes[start..<min(start + 3, bytes.count)]
      let number = piece.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - piece.count))
      for place in 0..<4 {
        text.append(place > piece.count ? UInt8(ascii: "=") : letters[number >> (18 - 6 * place) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
