import DaemonRuntime
import Ground

/// Prints records as sentences, with the time since the phone's first record.
package struct LogPrinter {
  package let output: Output
  package let processes: [String]
  let isVerbose: Bool
  package let filter: LogFilter
  private var narrator = JournalNarrator()
  private var held: [String] = []
  /// A record was near the moment that is looked at, shown or not.
  private(set) var hasFoundMoment = false

  init(output: Output, processes: [String], isVerbose: Bool, filter: LogFilter = LogFilter()) {
    self.output = output
    self.processes = processes
    self.isVerbose = isVerbose
    self.filter = filter
  }

  /// Keeps the last `count` lines for the next `print`. False if these are fewer.
  mutating func hold(last count: Int, of entries: [JournalMerger.Entry], from merger: JournalMerger) -> Bool {
    narrator = JournalNarrator()
    held = lines(of: entries, from: merger).suffix(count)
    return held.count == count
  }

  /// False if the reader of standard output is gone. The held lines come first.
  @discardableResult
  package mutating func print(_ entries: [JournalMerger.Entry], from merger: JournalMerger) -> Bool {
    let lines = held + lines(of: entries, from: merger)
    held = []
    return lines.isEmpty || StandardOutput.write(lines.joined(separator: "\n") + "\n")
  }

  private mutating func lines(of entries: [JournalMerger.Entry], from merger: JournalMerger) -> [String] {
    var lines: [String] = []
    let start = merger.start
    for entry in entries {
      // Also for records that are not shown: the narrator keeps claim reasons for later sentences.
      let sentences = narrator.sentences(for: entry)
      guard merger.isWhole(entry), filter.takes(entry.line, start: start) else { continue }
      hasFoundMoment = hasFoundMoment || filter.around != nil
      guard processes.isEmpty || processes.contains(entry.process) else { continue }
      if output.isJSON {
        if filter.matches(entry.line.text) { lines.append(entry.line.text) }
        continue
      }
      for sentence in sentences
      where isShown(sentence) && filter.matches("\(entry.process) \(sentence.text)") {
        lines.append(output.shown(line(entry, sentence, since: start)))
      }
    }
    return lines
  }

  /// Near one moment each message counts.
  private func isShown(_ sentence: JournalNarrator.Sentence) -> Bool {
    isVerbose || sentence.matters || (filter.around != nil && sentence.weight == .detail)
  }

  private func line(
    _ entry: JournalMerger.Entry, _ sentence: JournalNarrator.Sentence, since start: Instant?
  ) -> String {
    let seconds = HumanText.seconds(entry.line.at - (start ?? entry.line.at)) + "s"
    let time =
      filter.showsWall
      ? WallClockText.write(entry.line.header.wall)
      : String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
    let words = sentence.matters ? sentence.text : output.paint(sentence.text, .dim)
    return "\(output.paint(time, .dim))  \(Self.column(of: entry.process, output))  \(words)"
  }

  /// The process's name, as wide as the longest of ours.
  package static func column(of process: String, _ output: Output) -> String {
    let name = process.onOneLine
    return output.paint(name + String(repeating: " ", count: max(0, 10 - name.count)), colour(of: process))
  }

  package static func colour(of process: String) -> Output.Colour {
    switch process {
    case "mainappd": .green
    case "notifyextd", "notifyonlyd": .magenta
    case "iosd": .blue
    case "lspd": .yellow
    default: .cyan
    }
  }
}

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
