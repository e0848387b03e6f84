import DaemonRuntime
import PhonePolicy

/// All outcomes of `baton ci`, as text and JSON.
struct CIReport {
  var pair: OwnPair?
  var evidence: String
  var outcomes: [ScenarioOutcome] = []
  /// No story follows.
  var isWhole = false

  var exitCode: ExitCode { ScenarioOutcome.exitCode(outcomes) }
  private var skipped: Int { outcomes.count { $0.kind == .skipped } }
  private var good: Int { outcomes.count { $0.isGood } - skipped }

  /// The pair does not come up: each further story would wait as long for the same.
  var neverBegins: Bool {
    let played = outcomes.filter { $0.kind != .skipped }
    return played.count >= 2 && played.suffix(2).allSatisfy(\.endedBeforeTheFirstLine)
  }

  struct Document: Report {
    /// sound, or the gravest outcome of a story: differs, no progress, broken or crashed; unfinished while stories
    /// follow, and for good if `baton ci` was ended before them.
    var verdict: String
    /// The exit code; missing while stories follow.
    var exit: Int32?
    /// The programs under test; missing for Baton's own.
    var app: String?
    var ext: String?
    /// container, peer or journal; missing for Baton's own pair.
    var level: String?
    var good: Int
    var bad: Int
    var skipped: Int
    /// The directory of all evidence.
    var evidence: String
    var stories: [ScenarioOutcome.Document]
  }

  var document: Document {
    Document(
      verdict: isWhole ? word : "unfinished", exit: isWhole ? exitCode.rawValue : nil, app: pair?.app,
      ext: pair?.ext, level: pair?.level.rawValue,
      good: good, bad: outcomes.count - good - skipped, skipped: skipped, evidence: evidence,
      stories: outcomes.map(\.document))
  }

  private var word: String {
    let code = exitCode
    return outcomes.first { $0.exitCode == code && !$0.isGood }?.kind.rawValue ?? "sound"
  }

  func tell(_ output: Output) {
    let rest = skipped == 0 ? "" : "; \(HumanText.count(skipped, "story", "stories")) skipped"
    let sentence = "\(good) of \(outcomes.count - skipped) stories as expected\(rest)"
    output.say(output.paint(sentence, exitCode == .done ? .green : .red))
    output.say("evidence: \(evidence)/verdict.json, junit.xml, phones/")
  }
}
