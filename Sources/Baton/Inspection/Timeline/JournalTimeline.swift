import DaemonRuntime
import Dispatch
import Glibc
import Ground
import Guardrails
import Judge
import Simulation

/// The timeline of a phone's directory, live or over, from its journals and the judge's verdict.
package struct JournalTimeline {
  private static let batch = 1000

  private var builder = TimelineBuilder()
  private var narrator = JournalNarrator()

  /// Throws if there are no journals.
  package static func of(_ phone: Phone, isJudged: Bool = true) throws -> Timeline {
    try require(
      FilePath.isDirectory(phone.journal) && !FilePath.journals(in: phone.journal).isEmpty, .inputOutputError,
      "there are no journals in \(phone.journal); name a phone's directory, such as that of `baton up` or of a run with --keep"
    )
    // The judge reads the same journals meanwhile, on another core.
    let judging = DispatchGroup()
    let home = phone.home
    nonisolated(unsafe) var verdict: Result<Verdict, any Error>?
    if isJudged {
      DispatchQueue.global().async(group: judging) {
        verdict = Result { try JudgeVerb.verdict(on: home, requireSettled: false) }
      }
    }
    let merger = JournalMerger(directory: phone.journal)
    var made = JournalTimeline()
    while true {
      let entries = merger.readNew(atMost: batch)
      guard !entries.isEmpty else { break }
      for entry in entries { made.take(entry) }
    }
    var timeline = made.builder.finish(title: "Baton: \(phone.home)")
    timeline.remarks = merger.problems + merger.tornFiles.map { "the last line of \($0) is truncated" }
    judging.wait()
    if let verdict { add(verdict, to: &timeline) }
    return timeline
  }

  private mutating func take(_ entry: JournalMerger.Entry) {
    let header = entry.line.header
    let isOfOther = header.core != header.coreKind
    // Another wallet of the same lspd: its connections and payments are not this phone's.
    let who = isOfOther ? .other("\(entry.process) \(header.core ?? "")") : Self.who(entry.process)
    let record = CoreRecord(entry)
    let said: Said? =
      switch (header.kind, who) {
      case ("start", .wallet(let role, _)): .started(role, pid: entry.pid)
      case ("start", .peer): .peerStarted
      case ("end", .wallet(let role, _)): .ended(role, header.reason ?? "ended")
      default: isOfOther ? nil : record.map(Said.core)
      }
    if !isOfOther { builder.name(who, entry.process.onOneLine) }
    var drawn = TimelineRecord(at: entry.line.at, narrator.sentences(for: entry, record))
    (drawn.file, drawn.line, drawn.raw) = (entry.file, entry.line.number, entry.line.text)
    builder.take(drawn, by: who, said.map { [$0] } ?? [], wall: header.wall)
  }

  /// A team's own programs have lanes under their own names.
  private static func who(_ process: String) -> TimelineWho {
    switch process {
    case "iosd": .phone()
    case "lspd": .peer
    case Role.app.processName: .wallet(.app)
    case _ where WalletProfile.Extension(rawValue: process) != nil || process == Role.extension.processName:
      .wallet(.extension)
    default: .other(process)
    }
  }

  // MARK: The verdict

  private static func add(_ verdict: Result<Verdict, any Error>, to timeline: inout Timeline) {
    do {
      let verdict = try verdict.get()
      timeline.findings += verdict.findings.map {
        TimelineFinding(
          title: $0.invariant.title, sentence: $0.sentence,
          anchor: $0.atNs.flatMap { timeline.anchor(at: Instant(nanoseconds: $0)) }
            ?? timeline.anchor(of: $0.rows))
      }
      timeline.remarks += verdict.unsettled.map { "pending: \($0)" }
      timeline.remarks += verdict.missing.map { "not judged: \($0.sentence)" }
    } catch { timeline.remarks.append("not judged: \(CommandFailure(error).sentence)") }
  }
}

extension Timeline {
  /// The first record from that instant on; nil outside of the journals, as after a reboot.
  func anchor(at instant: Instant) -> TimelineAnchor? {
    guard let place = records.firstIndex(where: { $0.at >= instant }), instant >= start else { return nil }
    return TimelineAnchor(at: instant, record: place)
  }

  /// Where the first of these rows shows: of the evidence that a verdict names.
  func anchor(of rows: [EvidenceRow]) -> TimelineAnchor? {
    for row in rows {
      if let anchor = anchors[row.description] { return anchor }
      guard case .journal(let name, let line?) = row else { continue }
      if let place = records.firstIndex(where: { $0.line == line && $0.file == name }) {
        return TimelineAnchor(at: records[place].at, record: place)
      }
    }
    return nil
  }
}

/// Writes a timeline to a new file that only its user can read: the page has lines of the journals.
extension TimelineRecord {
  init(at instant: Instant, _ sentences: [JournalNarrator.Sentence]) {
    let weights = sentences.map(\.weight)
    let weight: Weight = weights.contains(.key) ? .key : weights.contains(.normal) ? .normal : .detail
    let shown = weight == .detail ? sentences : sentences.filter(\.matters)
    self.init(at: instant, weight: weight, text: shown.map(\.text).joined(separator: "; "))
  }
}

package enum TimelineFile {
  package enum Form: String, CaseIterable, Sendable {
    case html
    case svg
    case trace

    /// As in `timeline.html`.
    package var ending: String { self == .trace ? "trace.json" : rawValue }

    package func text(of timeline: Timeline) -> String {
      switch self {
      case .html: TimelinePage.html(timeline)
      case .svg: TimelinePicture(timeline).svg
      case .trace: TimelineTrace.json(timeline)
      }
    }
  }

  package static func write(_ text: String, to path: String) throws(CommandFailure) {
    try UserFile.write(text, to: path, mode: 0o600, "name another file with --out")
  }

  /// The timeline of a failed run, beside its evidence: a line for the user. A picture that cannot be made is no reason
  /// to hide the failure itself.
  package static func ofFailure(_ phone: Phone) -> String? {
    let path = "\(phone.home)/timeline.html"
    guard let timeline = try? JournalTimeline.of(phone),
      (try? write(TimelinePage.html(timeline), to: path)) != nil
    else { return nil }
    return path
  }

  /// The same for a run without a directory of its own: in `directory`, or a new temporary one.
  package static func ofFailure(_ timeline: Timeline, named name: String, in directory: String?) -> String? {
    guard let place = directory ?? scratch() else { return nil }
    if directory != nil { mkdir(place, 0o700) }
    let safe = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    let path = "\(place)/\(safe).html"
    return (try? write(TimelinePage.html(timeline), to: path)) == nil ? nil : path
  }

  private static func scratch() -> String? {
    var template = Array("\(FilePath.temporary)/baton-timeline-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package static let directoryOption = OptionDeclaration(
    "--timelines", value: .path("DIR"),
    help: "the directory for the timeline of a failure; default: a new one in the temporary directory")
}
