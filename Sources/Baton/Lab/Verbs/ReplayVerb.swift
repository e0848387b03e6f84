import DaemonRuntime
import PhonePolicy
import Simulation

/// Replays journals through the real cores and compares byte for byte.
package enum ReplayVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "replay",
    summary: "replay a journal and compare each record byte for byte, or print a simulated run",
    options: [
      OptionDeclaration("--step", help: "print every event and its directives"),
      OptionDeclaration(
        "--seed", value: .text("N"), help: "print the events of run N of `baton sim`, in order"),
    ] + SimOptions.ofOneRun + SimOptions.declarations,
    positionals: [
      PositionalDeclaration(
        "JOURNAL", value: .path("JOURNAL"), count: .any, help: "files in a phone's directory journal/")
    ],
    examples: [
      ("baton replay .baton/journal/*.jsonl", "check that each core decides again what the journal says"),
      ("baton replay --seed 17", "the events of one simulated run; with --step all of them"),
    ])

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    if let word = invocation.line.text("--seed") {
      return try tellSeed(SeedRange.seed(typed: word), invocation)
    }
    try require(
      !invocation.line.positionals.isEmpty, .wrongUsage,
      "JOURNAL is missing; name a journal, or a simulated run with --seed")
    var differs = false
    var isMissing = false
    for path in invocation.line.positionals {
      let onStep: ((JournalLine) -> Void)? = invocation.line.isGiven("--step") ? { step($0, output) } : nil
      let outcome = try JournalReplay.run(path, onStep: onStep)
      differs = differs || outcome.differs
      isMissing = isMissing || outcome.evidenceMissing == true
      output.isJSON
        ? output.say(JournalDocument(Journal(journal: path, same: outcome.isWhole), outcome))
        : tell(outcome, path, output)
    }
    if differs { return .exclusionOrMoneyBroken }
    return isMissing ? .inputOutputError : .done
  }

  private static func tellSeed(_ seed: UInt64, _ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    try require(line.positionals.isEmpty, .wrongUsage, "give either journals or --seed")
    let settings = try settings(seed, line).settings
    let story = WorldStory(of: settings)
    let lines = story.text(all: line.isGiven("--step"))
    if invocation.output.isJSON {
      invocation.output.say(
        SeedDocument(
          seed: seed, sound: story.violation == nil, invariant: story.violation?.invariant.rawValue,
          violation: story.violation?.sentence, story: lines))
    } else {
      for line in lines { invocation.output.say(line) }
    }
    guard let violation = story.violation else { return .done }
    return violation.exitCode
  }

  /// A simulated run as it was typed, and the words that name it.
  static func settings(
    _ seed: UInt64, _ line: ParsedCommandLine
  ) throws -> (settings: RunSettings, words: String) {
    let options = try SimOptions(line)
    var settings = options.settings(seed: seed)
    settings.order = UInt64(line.integer("--order") ?? 0)
    if let only = line.text("--only") {
      let numbers = only.split(separator: ",").map { Int($0) }
      guard !numbers.isEmpty, numbers.allSatisfy({ $0 != nil }) else {
        throw CommandFailure(.wrongUsage, "--only must be numbers such as 3,9,12")
      }
      settings.only = numbers.compactMap { $0 }
    }
    return (settings, options.words(for: settings))
  }

  struct SeedDocument: Report {
    var seed: UInt64
    var sound: Bool
    var invariant: Int?
    var violation: String?
    var story: [String]
  }

  private static func step(_ line: JournalLine, _ output: Output) {
    output.isJSON
      ? output.sayAsItIs(line.text) : output.sayAsItIs("\(output.paint("\(line.number)", .dim)) \(line.text)")
  }

  private static func tell(_ outcome: JournalReplay.Outcome, _ path: String, _ output: Output) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let counts = outcome.events.map { "\($0.core) \(HumanText.count($0.count, "event"))" }.joined(
      separator: ", ")
    if let line = outcome.line, let sentence = outcome.sentence {
      let place = "line \(line)\(outcome.differs ? " differs" : "")"
      output.say("\(name): \(output.paint(place, .red)): \(sentence)")
      if let recorded = outcome.recorded { output.say("  recorded  \(recorded.onOneLine)") }
      if let computed = outcome.computed { output.say("  computed  \(computed.onOneLine)") }
    } else {
      let what = counts.isEmpty ? "no core events" : counts
      let same = counts.isEmpty ? "nothing to compare" : "identical, byte for byte"
      output.say(
        "\(name): \(HumanText.count(outcome.records, "record")), \(what): \(output.paint(same, .green))")
    }
    for core in outcome.unknownCores {
      output.say("  core \(core.onOneLine) is unknown to this program and was skipped")
    }
    if outcome.lastLineTorn {
      output.say("  the last line is truncated: its process was killed while writing it")
    }
  }

  struct Journal: Report {
    var journal: String
    var same: Bool
  }

  typealias JournalDocument = Joined<Journal, JournalReplay.Outcome>
}
