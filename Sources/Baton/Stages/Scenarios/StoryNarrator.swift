import DaemonRuntime
import Ground
import Judge
import PhonePolicy

/// Prints the events of a phone and its peer while a story plays on them, from the journals that they write.
final class StoryNarrator {
  let output: Output
  private let start = Clock.monotonicNow
  private let merger: JournalMerger
  private var sentences = JournalNarrator()
  private var waits = NodeWaits()

  init(_ phone: Baton.Phone, _ output: Output) {
    self.output = output
    merger = JournalMerger(directory: phone.journal)
  }

  /// Prints what the journals have since the last call.
  func follow() {
    for entry in merger.readNew() {
      for sentence in sentences.sentences(for: entry) where sentence.weight == .key {
        line(.event, at: entry.line.at, process: entry.process, sentence.text)
      }
      if let wait = waits.ended(by: entry) { line(.wait, at: entry.line.at, wait.sentence, took: wait.took) }
    }
  }

  func headline(_ text: String) {
    if !output.isJSON { output.say("") }
    line(.step, at: Clock.monotonicNow, text)
  }

  func remark(_ text: String) { line(.remark, at: Clock.monotonicNow, text) }

  func tell(_ verdict: Verdict, _ replays: [JournalReplay.Outcome], _ different: [String]) {
    different.forEach(remark)
    if different.isEmpty {
      let decisions = replays.flatMap(\.events).map(\.count).reduce(0, +)
      remark("\(decisions) decisions in \(replays.count) journals replayed: identical, byte for byte")
    }
    guard !output.isJSON else { return }
    for line in verdict.text.split(separator: "\n") { output.say("           \(line)") }
    output.say("")
  }

  struct Line: Report {
    /// Milliseconds since the start.
    var tMs: Int64
    /// step (a part of the story), event (a record of a process), wait (the app waited for the node) or remark.
    var kind: String
    var process: String?
    var text: String
    /// With `wait`: how long.
    var tookMs: Int64?
  }

  private enum Kind: String { case step, event, wait, remark }

  private func line(
    _ kind: Kind, at instant: Instant, process: String? = nil, _ text: String, took: TimeSpan? = nil
  ) {
    let since = instant - start
    if output.isJSON {
      return output.say(
        Line(
          tMs: since.wholeMilliseconds, kind: kind.rawValue, process: process, text: text,
          tookMs: took?.wholeMilliseconds))
    }
    let seconds = HumanText.seconds(since)
    let time = output.paint(String(repeating: " ", count: max(0, 7 - seconds.count)) + seconds + " s", .dim)
    switch kind {
    case .step: output.say("\(time)  \(output.paint(text, .bold))")
    case .remark, .wait: output.say("\(time)  \(output.paint("→ \(text)", .cyan))")
    case .event: output.say("\(time)    \(LogPrinter.column(of: process ?? "", output))  \(text)")
    }
  }
}
