import DaemonRuntime

/// Runs journals again through the real cores and compares byte for byte.
enum ReplayVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "replay", summary: "run the decisions of a journal again and compare them byte for byte",
      options: [
        OptionDeclaration("--step", help: "show every event and what was decided as it is run")
      ],
      positionals: [
        PositionalDeclaration(
          "JOURNAL", value: .path("JOURNAL"), count: .atLeastOne,
          help: "files of the directory journal/ of a phone")
      ],
      examples: [
        ("baton replay .baton/journal/*.jsonl", "do the shells add nothing to what the cores decided?")
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    var differs = false
    for path in invocation.line.positionals {
      let onStep: ((JournalLine) -> Void)? = invocation.line.isGiven("--step") ? { step($0, output) } : nil
      let outcome = try JournalReplay.run(path, onStep: onStep)
      differs = differs || outcome.difference != nil
      output.isJSON ? output.say(json(outcome, path)) : tell(outcome, path, output)
    }
    return differs ? .exclusionOrMoneyBroken : .done
  }

  private static func step(_ line: JournalLine, _ output: Output) {
    output.isJSON ? output.say(line.text) : output.say("\(output.paint("\(line.number)", .dim)) \(line.text)")
  }

  private static func tell(_ outcome: JournalReplay.Outcome, _ path: String, _ output: Output) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let counts = outcome.events.map { "\($0.core) \(HumanText.count($0.count, "event"))" }.joined(
      separator: ", ")
    if let difference = outcome.difference {
      output.say("\(name): \(output.paint("line \(difference.line) differs", .red)): \(difference.sentence)")
      if let recorded = difference.recorded { output.say("  recorded  \(recorded.onOneLine)") }
      if let computed = difference.computed { output.say("  computed  \(computed.onOneLine)") }
    } else {
      let what = counts.isEmpty ? "no core events" : counts
      let same = counts.isEmpty ? "nothing to compare" : "the same, byte for byte"
      output.say(
        "\(name): \(HumanText.count(outcome.records, "record")), \(what): \(output.paint(same, .green))")
    }
    for core in outcome.unknownCores {
      output.say("  core \(core.onOneLine) is not known to this program and was left out")
    }
    if outcome.isTorn { output.say("  the last line is torn: its process was killed while writing it") }
  }

  private static func json(_ outcome: JournalReplay.Outcome, _ path: String) -> String {
    var events = JSONObject()
    for (core, count) in outcome.events { events.set(core, count) }
    var object = JSONObject()
    object.set("journal", path)
    object.set("same", outcome.difference == nil)
    object.set("records", outcome.records)
    object.set("events", raw: events.text)
    object.set("unknown_cores", outcome.unknownCores)
    object.set("last_line_torn", outcome.isTorn)
    if let difference = outcome.difference {
      object.set("line", difference.line)
      object.set("sentence", difference.sentence)
      object.set("recorded", ifPresent: difference.recorded)
      object.set("computed", ifPresent: difference.computed)
    }
    return object.text
  }
}
