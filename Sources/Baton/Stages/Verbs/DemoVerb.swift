import DaemonRuntime

/// Plays its story on real processes, and prints the events as they happen.
package enum DemoVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "demo",
      summary: "pay a phone with its app closed; open the app, kill the extension; print the story",
      options: [
        OptionDeclaration(
          "--keep", value: .path("DIR"), help: "run in this new directory and keep it; --home is refused"),
        OptionDeclaration(
          "--quick", help: "do not let the extension wait out its 5 s after the first payment"),
        OptionDeclaration("--print", help: "print the story, for `baton run`, and play nothing"),
      ],
      examples: [
        ("baton demo", "some seven seconds; exit code 0 only if the verdict is sound"),
        ("baton demo --keep /tmp/run && baton inspect /tmp/run", "then inspect its container"),
        ("baton demo --print >my.txt && baton run --events my.txt", "then change the story"),
      ])
  }

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    if line.isGiven("--print") { return nil }
    let kept = line.text("--keep")
    return Supervision(name: "demo", kept: kept, needsPlace: kept == nil)
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    guard !invocation.line.isGiven("--home") else {
      throw CommandFailure(
        .wrongUsage,
        "--home names a phone that is there, and the demo makes a new one; omit it, or name the new one's directory with --keep"
      )
    }
    let text = DemoStory.text(isQuick: invocation.line.isGiven("--quick"))
    if invocation.line.isGiven("--print") {
      guard !output.isJSON else {
        throw CommandFailure(.wrongUsage, "--print prints a story, which is text; omit --json")
      }
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output.say(String(line)) }
      return .done
    }
    let outcome = try ScenarioPlay(narrated: invocation, verb: "demo").play(
      try ScenarioParser.parse(text), file: "demo")
    if output.isJSON {
      output.say(outcome.document)
    } else {
      for line in outcome.text(output, nameWidth: 0) { output.say(line) }
    }
    return outcome.exitCode
  }
}
