import DaemonRuntime
import SharedContainer

/// Shows any container, in use or copied.
package enum InspectVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "inspect", summary: "show a shared container, in use or copied: who holds the node and why",
    options: [
      OptionDeclaration(
        "-a", "--all", help: "show every claim, invoice and payment, not only the last ones"),
      OptionDeclaration(
        "-n", "--payments", value: .text("N"),
        help: "show the last N rows of each kind, or `all`; default: 10, with --json 100"),
      OptionDeclaration(
        "--check",
        help: "check each page, index and claim; exit code 1: problems, but nothing is lost; 2: broken"),
      OptionDeclaration(
        "--diff", value: .path("OTHER"),
        help: "what changed from DIR to OTHER, another copy; exit code 1 if anything"),
    ],
    positionals: [
      PositionalDeclaration(
        "DIR", value: .path("DIR"), count: .optional,
        help: "an App Group directory, or a phone's directory; default: that of --home")
    ],
    examples: [
      ("baton inspect", "this phone's container"),
      ("baton inspect /tmp/copy-of-AppGroup --json", "a copy from another machine"),
      ("baton inspect --check", "for a script: the exit code says whether there are problems"),
      ("baton inspect before --diff after", "holder, epoch, payments, records and journals of two copies"),
    ])

  package static let copiesDatabases = true

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let place = ContainerPlace(try line.positionals.first ?? invocation.phone.home)
    let output = invocation.output
    let checks = line.isGiven("--check")
    let wantsAll = line.isGiven("-a")
    let chosen = try rows(invocation)
    if let other = line.text("--diff") {
      try require(!checks, .wrongUsage, "use either --check or --diff: both end with 1")
      let most = wantsAll || chosen == 0 ? nil : chosen ?? comparedRows
      let diff = try ContainerDiff(place, ContainerPlace(other), rows: most)
      output.isJSON ? output.say(diff) : diff.tell(output)
      return diff.same ? .done : .differs
    }
    let rows = wantsAll || chosen == 0 ? nil : chosen ?? (output.isJSON ? ContainerReport.rowsMax : 10)
    let report: ContainerReport
    do {
      report = try place.report(rows: rows, isThorough: checks || rows == nil, checksIndexes: checks)
    } catch let error as ContainerError where checks && Finding(damage: error) != nil {
      // The gate has its answer, also if there is nothing to show.
      throw CommandFailure(.exclusionOrMoneyBroken, error.description)
    }
    output.isJSON ? output.say(report.document) : report.tell(output, rows: rows)
    return checks ? report.findings.exitCode : .done
  }

  /// The answer of `--check --json`.
  package static func check(_ directory: String) throws -> (code: ExitCode, document: String) {
    let report = try ContainerPlace(directory).report(
      rows: ContainerReport.rowsMax, isThorough: true, checksIndexes: true)
    return (report.findings.exitCode, report.document.json)
  }

  private static let comparedRows = 1000

  /// 0 for `all`, nil if --payments is not given.
  private static func rows(_ invocation: Invocation) throws(CommandFailure) -> Int? {
    guard let word = invocation.line.text("-n") else { return nil }
    if word == "all" { return 0 }
    guard let number = Int(word), (1...1_000_000).contains(number) else {
      throw CommandFailure(
        .wrongUsage, "--payments takes a number from 1 to 1,000,000 or `all`, not \(UsageError.quoted(word))")
    }
    return number
  }
}
