import DaemonRuntime

/// Plays its story on real processes, and prints the events as they happen.
package enum DemoVerb: Verb {
  package static let declaration = CommandLineDeclaration(
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

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    if line.isGiven("--print") { return nil }
    return Supervision(kept: line.text("--keep"))
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    try require(
      !invocation.line.isGiven("--home"), .wrongUsage,
      "--home names a phone that is there, and the demo makes a new one; omit it, or name the new one's directory with --keep"
    )
    let text = DemoStory.text(isQuick: invocation.line.isGiven("--quick"))
    if invocation.line.isGiven("--print") {
      try require(!output.isJSON, .wrongUsage, "--print prints a story, which is text; omit --json")
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output.say(String(line)) }
      return .done
    }
    let play = ScenarioPlay(
      verb: "demo", keep: invocation.line.text("--keep"), place: invocation.place, events: output)
    let outcome = try play.play(try ScenarioParser.parse(text), file: "demo")
    outcome.tell(output)
    return outcome.exitCode
  }
}

/// The demo's story: each trap of a payment in the background, once.
enum DemoStory {
  /// With `isQuick` the user opens the app, so that the extension need not wait 5 s for more payments.
  static func text(isQuick: Bool) -> String {
    """
    # The app is closed, the user opens it, the extension is killed

    # Payment 1 of 3: the app is closed
    payment 1 of 5000 sat arrives
    wait until payment 1 has settled
    \(isQuick ? "the app opens\n" : "")\
    wait until the user sees payment 1
    \(isQuick ? "wait until the app is connected\nthe app is swiped away" : "wait until nobody holds the node")

    # Payment 2 of 3: the user opens the app while the extension receives
    payment 2 of 21000 sat arrives
    wait until the extension is connected
    the app opens
    wait until the app is connected
    wait until all is settled

    # The user goes home, then swipes the app away
    the app goes home
    wait until nobody holds the node
    the app is swiped away

    # Payment 3 of 3, in two parts: kill -9 for the extension with part 1; then the user opens the app
    payment 3 of 100000 sat begins to arrive in 2 parts
    wait until the wallet keeps a part of payment 3
    the extension is killed
    the app opens
    wait until the app is connected
    the next part of payment 3 arrives
    wait until all is settled
    who holds the node?
      > the app holds the node
    what became of the payments?
      > payment 1 of 5,000 sat: settled, and the wallet has it once
      > payment 2 of 21,000 sat: settled, and the wallet has it once
      > payment 3 of 100,000 sat: settled, and the wallet has it once

    # The user swipes the app away
    the app is swiped away
    the verdict
      > sound: 3 of 3 payments settled, once each, equal on both sides
    """
  }
}
