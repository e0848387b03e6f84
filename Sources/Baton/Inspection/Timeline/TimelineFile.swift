import DaemonRuntime
import Glibc

/// Writes a timeline to a new file that only its user can read: the page has lines of the journals.
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
