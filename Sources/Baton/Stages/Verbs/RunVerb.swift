import DaemonRuntime
import Ground
import PhonePolicy
import Simulation

/// Plays stories and compares their answers with the expected ones.
package enum RunVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "run", summary: "play a story on real processes or in virtual time, and compare its answers",
    options: [
      OptionDeclaration("--simulated", help: "play in virtual time, which takes milliseconds"),
      OptionDeclaration("--update", help: "replace the expected answers in the file by the actual ones"),
      OptionDeclaration(
        "--keep", value: .path("DIR"),
        help: "play in this new directory and keep the phone; several files: a subdirectory each"),
      OptionDeclaration(
        "--events", help: "print the events of the real processes as they happen, as `baton demo` does"),
      OptionDeclaration(
        "--seed", value: .integer(0...Int64.max), default: "1",
        help: "with --simulated: the order of simultaneous events"),
      OptionDeclaration(
        "--junit", value: .path("FILE"), help: "also write the outcome as JUnit XML, one case per story"),
      TimelineFile.directoryOption,
      OptionDeclaration("--commands", help: "print every line that a story can have, and play nothing"),
    ] + SimOptions.worldDeclarations,
    positionals: [
      PositionalDeclaration(
        "FILE", value: .path("FILE"), count: .any, help: "a story; docs/scenarios.md has the language")
    ],
    examples: [
      (
        "baton run Tests/Scenarios/frozen-and-thawed.txt",
        "exit 0: as expected; 1: other answers; 2: exclusion or money broken; 3: no progress; 4: a crash"
      ),
      ("baton run --events Tests/Scenarios/killed-after-the-claim.txt", "watch the processes meanwhile"),
      ("baton run --simulated Tests/Scenarios/*.txt", "all of them, in virtual time"),
      ("baton run --simulated --update my-story.txt", "write the actual answers into the file"),
    ])

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    if line.isGiven("--simulated") || line.isGiven("--commands") { return nil }
    return Supervision(kept: line.text("--keep"))
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    if line.isGiven("--commands") {
      ScenarioCommands.print(invocation.output)
      return .done
    }
    try require(
      !line.positionals.isEmpty, .wrongUsage, "FILE is missing; name a story, such as one of Tests/Scenarios")
    let stories = try line.positionals.map { (file: $0, scenario: try read($0)) }
    let play = try ScenarioPlay(invocation)
    let width = stories.map(\.file.count).max() ?? 0
    let junit = try line.text("--junit").map { try JUnitWriter($0, suite: "run") }
    var outcomes: [ScenarioOutcome] = []
    for story in stories {
      let outcome = try play.play(story.scenario, file: story.file)
      outcomes.append(outcome)
      junit?.add(outcome.junit)
      outcome.tell(invocation.output, nameWidth: width)
    }
    if !invocation.output.isJSON {
      advise(outcomes, isSimulated: line.isGiven("--simulated"), invocation.output)
    }
    try junit?.close()
    return ScenarioOutcome.exitCode(outcomes)
  }

  private static func advise(_ outcomes: [ScenarioOutcome], isSimulated: Bool, _ output: Output) {
    let different = outcomes.filter { $0.kind == .differs }
    if let first = different.first {
      let names = different.count == 1 ? first.file : "FILE…"
      output.say("to accept these answers: baton run \(isSimulated ? "--simulated " : "")--update \(names)")
    }
    if outcomes.count > 1 { output.say(ScenarioOutcome.summary(outcomes)) }
  }

  /// Far more than a story of a few pages.
  private static let bytesMax = 65_536

  static func read(_ path: String) throws(CommandFailure) -> Scenario {
    let bytes = try require(
      SmallFile.read(path, limit: bytesMax + 1), .inputOutputError,
      "\(path) cannot be read; name an existing file")
    guard bytes.count <= bytesMax, let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(
        .wrongUsage, "\(path) is not a story: it must be UTF-8 text of at most \(bytesMax) bytes")
    }
    do throws(ScenarioError) {
      return try ScenarioParser.parse(text)
    } catch { throw CommandFailure(.wrongUsage, "\(path), \(error)") }
  }
}

/// Prints the language of stories.
enum ScenarioCommands {
  static func print(_ output: Output) {
    if output.isJSON {
      output.say(Phrase.all.map(Document.init))
      return
    }
    for phrase in Phrase.all {
      output.say(output.paint(phrase.form, .bold))
      output.say("    \(phrase.meaning)\(note(phrase.place))")
    }
  }

  private static func note(_ place: Scenario.Place) -> String {
    switch place {
    case .everywhere: ""
    case .simulated(let because): " In the simulation only, as \(because)."
    case .real(let because): " On real processes only, as \(because)."
    }
  }

  struct Document: Report {
    var form: String
    var meaning: String
    /// everywhere, simulated or real.
    var played: String

    init(_ phrase: Phrase) {
      (form, meaning) = (phrase.form, phrase.meaning)
      played =
        switch phrase.place {
        case .everywhere: "everywhere"
        case .simulated: "simulated"
        case .real: "real"
        }
    }
  }
}
