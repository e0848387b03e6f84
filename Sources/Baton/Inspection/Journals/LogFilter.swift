import Ground
import DaemonRuntime

/// The filters of `baton logs`: --since, --around, -n, --grep.
package struct LogFilter {
  /// Earlier lines are left out; an instant of the monotonic clock that all processes share.
  private var since: Instant?
  /// The same as a time of the phone's wall clock.
  private var sinceWall: Int64?
  /// Since the phone's first record.
  private(set) var around: TimeSpan?
  /// How far from `around` a line may be.
  static let nearness = TimeSpan.milliseconds(50)
  private var pattern: Regex<AnyRegexOutput>?
  private(set) var lastLines: Int?
  private(set) var showsWall = false

  init() {}

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    if let word = line.text("--since") { try take(since: word) }
    if let word = line.text("--around") { try take(around: word) }
    lastLines = line.integer("-n").map { Int(clamping: $0) }
    showsWall = line.isGiven("--wall")
    guard let word = line.text("--grep") else { return }
    do {
      pattern = try Regex(word)
    } catch {
      throw CommandFailure(
        .wrongUsage,
        "--grep must be a regular expression, not \(UsageError.quoted(word)); write \\ before characters to be matched literally"
      )
    }
  }

  private mutating func take(since word: String) throws(CommandFailure) {
    if let span = SpanText.parse(word) {
      since = Clock.monotonicNow + TimeSpan(nanoseconds: -span.nanoseconds)
    } else if let time = WallClockText.read(word, today: Clock().wallNanoseconds) {
      sinceWall = time
    } else {
      throw CommandFailure(
        .wrongUsage,
        "--since must be a time ago such as 5m, or a time in UTC such as 14:05:10 or 2026-11-22T14:05:10, not \(UsageError.quoted(word))"
      )
    }
  }

  private mutating func take(around word: String) throws(CommandFailure) {
    guard let time = SpanText.parse(word) else {
      throw CommandFailure(
        .wrongUsage,
        "--around must be a time as `baton logs` prints it, such as 1.805s, not \(UsageError.quoted(word))")
    }
    around = time
  }

  /// `start` is the phone's first record.
  package func takes(_ line: JournalLine, start: Instant?) -> Bool {
    if let around, let start {
      let middle = start + around
      if line.at < middle - Self.nearness || line.at > middle + Self.nearness { return false }
    }
    if let since, line.at < since { return false }
    if let sinceWall, line.header.wall < sinceWall { return false }
    return true
  }

  func matches(_ words: String) -> Bool {
    guard let pattern else { return true }
    return ((try? pattern.firstMatch(in: words)) ?? nil) != nil
  }
}
