import PhoneClient
import Terminal
import DaemonRuntime

/// Shows any container, in use or copied.
package enum InspectVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "inspect",
      summary: "show a shared container, in use or copied: who holds the node and why",
      options: [
        OptionDeclaration(
          "-a", "--all", help: "show every claim, invoice and payment, not only the last ones"),
        OptionDeclaration(
          "-n", "--payments", value: .text("N"),
          help: "show the last N rows of each kind, or `all`; default: 10, with --json 100"),
        OptionDeclaration(
          "--check", help: "check each page and claim; exit code 65 if there are problems"),
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
      ])
  }

  /// A database that no process has open is copied to a temporary directory.
  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(name: "inspect", isLooking: true, needsPlace: false)
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let named = try invocation.line.positionals.first ?? invocation.phone.home
    let phone = Phone(home: named)
    let isHome = FilePath.isDirectory(phone.container) && !FilePath.exists(phone.home + "/node.sqlite")
    let directory = isHome ? phone.container : phone.home
    // The container's phone: timestamps are compared with its boot and boot clock.
    let owner = isHome ? phone : Phone(home: phone.home + "/..")
    let output = invocation.output
    let checks = invocation.line.isGiven("--check")
    let wantsAll = invocation.line.isGiven("-a")
    let chosen = try rows(invocation)
    let rows = wantsAll || chosen == 0 ? nil : chosen ?? (output.isJSON ? ContainerReport.rowsMax : 10)
    let report = try ContainerReport(
      of: directory, clock: owner.clock, ends: HolderEnds(of: owner), rows: rows,
      isThorough: checks || rows == nil)
    output.isJSON ? output.say(report.document) : report.tell(output, rows: rows)
    return checks && !report.problems.isEmpty ? .problemsFound : .done
  }

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
