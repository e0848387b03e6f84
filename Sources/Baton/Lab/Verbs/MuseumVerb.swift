import DaemonRuntime

/// Published incidents, each shown in the simulation under the coordination that it happened with, and under Baton's.
package enum MuseumVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "museum",
      summary: "show published incidents, each with its product's coordination and with Baton's",
      options: [
        OptionDeclaration("--all", help: "show every incident"),
        OptionDeclaration("--markdown", help: "print the table of docs/ablation.md"), JobsOption.declaration,
      ],
      positionals: [
        PositionalDeclaration(
          "NAME", value: .choice(Incident.all.map(\.name)), count: .any,
          help: "the incidents to show; without one: the list")
      ],
      examples: [
        ("baton museum", "the list"),
        ("baton museum phoenix-776", "the shortest story of the incident, then the same world with Baton"),
        ("baton museum --all --json", "every incident, one line of JSON each"),
      ])
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    let isPage = line.isGiven("--markdown")
    let isAll = line.isGiven("--all") || isPage
    if isAll, !line.positionals.isEmpty {
      throw CommandFailure(.wrongUsage, "--all and --markdown show every incident; omit the names")
    }
    let incidents = isAll ? Incident.all : line.positionals.compactMap(Incident.named)
    guard !incidents.isEmpty else {
      list(output)
      return .done
    }
    let jobs = JobsOption.number(line)
    var museum = Museum(jobs: jobs, signals: try SignalWatch.ofOwnWork())
    let progress = ProgressLine(isQuiet: output.isJSON)
    var showings: [Showing] = []
    for incident in incidents {
      let showing = museum.show(incident) { progress.tell(MuseumReport.progress(incident, $0)) }
      progress.end()
      if showing.isInterrupted {
        output.remark("\(incident.name): interrupted, and nothing is said of it")
        return showing.exitCode
      }
      if !isPage { tell(showing, isFirst: showings.isEmpty, output) }
      showings.append(showing)
    }
    if isPage { for line in MuseumReport.markdown(showings) { output.say(line) } }
    return showings.exitCode
  }

  private static func list(_ output: Output) {
    guard output.isJSON else { return output.table(MuseumReport.list) }
    output.say(Incident.all.map(MuseumReport.Listed.init))
  }

  private static func tell(_ showing: Showing, isFirst: Bool, _ output: Output) {
    guard !output.isJSON else { return output.say(MuseumReport.Document(showing)) }
    if !isFirst { output.say("") }
    for line in MuseumReport.text(showing, output) { output.say(line) }
  }
}
