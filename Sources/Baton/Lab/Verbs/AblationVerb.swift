import DaemonRuntime
import Ground
import Guardrails
import Museum
import Simulation

/// Removes rules of the coordination, to show what each one prevents.
package enum AblationVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "ablation",
    summary: "show what breaks without a rule of the coordination, or with another product's",
    options: [
      OptionDeclaration(
        "--rules", value: .list("RULES", of: Rule.allCases.map(\.name)),
        help: "only these rules, separated by commas, and no comparison of wallets"),
      OptionDeclaration(
        "--seeds", value: .text("A..B"), default: "1..300",
        help:
          "seeds that are run without each rule, to measure waiting times and how many seeds break an invariant"
      ), OptionDeclaration("--markdown", help: "print the tables of docs/ablation.md"),
      JobsOption.declaration,
      WalletOption.declaration,
    ],
    examples: [
      ("baton ablation --rules compare-and-set,inode-check", "two rules; all rules take much longer"),
      ("baton ablation --markdown", "the tables of docs/ablation.md"),
    ])

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    let seeds = try SeedRange(typed: line.text("--seeds") ?? "")
    let chosen = try SimOptions.rules(line.text("--rules") ?? "", option: "--rules")
    let rules = chosen.isEmpty ? Rule.allCases : chosen
    let jobs = JobsOption.number(line)
    let wallet = WalletOption.profile(line)
    try require(
      !line.isGiven("--markdown") || wallet == .phoenix, .wrongUsage,
      "--markdown compares wallets whose extension has a node; omit --wallet \(wallet.name)")
    // Other products are compared with the wallet whose extension has a node.
    let isWhole = chosen.isEmpty && wallet == .phoenix
    let progress = ProgressLine(isQuiet: output.isJSON)
    var ablation = Ablation(jobs: jobs, seeds: seeds, wallet: wallet) { progress.tell($0) }
    let result = ablation.page(rules, isWhole: isWhole)
    progress.end()
    if output.isJSON {
      for document in result.rules.documents { output.say(document) }
      for document in result.others.documents { output.say(document) }
    } else if line.isGiven("--markdown") {
      for line in result.markdown { output.say(line) }
    } else {
      for line in result.rules.text + result.others.text { output.say(line) }
    }
    return .done
  }
}

/// Published incidents, each shown in the simulation under the coordination that it happened with, and under Baton's.
package enum MuseumVerb: Verb {
  package static let declaration = CommandLineDeclaration(
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

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    let isPage = line.isGiven("--markdown")
    let isAll = line.isGiven("--all") || isPage
    try require(
      !isAll || line.positionals.isEmpty, .wrongUsage,
      "--all and --markdown show every incident; omit the names")
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
