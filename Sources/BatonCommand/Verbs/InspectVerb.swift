import DaemonRuntime

/// Shows any container, also a copied one.
enum InspectVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "inspect",
      summary: "open a shared container, in use or copied, and say who holds the node and why",
      options: [OptionDeclaration("-a", "--all", help: "every claim, invoice and payment, not the last ten")],
      positionals: [
        PositionalDeclaration(
          "DIR", value: .path("DIR"), count: .optional,
          help: "an App Group directory, or the home of a phone; that of --home when it is not given")
      ],
      examples: [
        ("baton inspect", "this phone's container"),
        ("baton inspect /tmp/copy-of-AppGroup --json", "a copy that somebody sent"),
      ])
  }

  /// The copy of a database that nobody has open.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(name: "inspect", isLooking: true, needsPlace: false)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let named = invocation.line.positionals.first ?? invocation.phone.home
    let phone = Phone(home: named)
    let isHome = FilePath.isDirectory(phone.container) && !FilePath.exists(phone.home + "/node.sqlite")
    let directory = isHome ? phone.container : phone.home
    // The clock file of the phone whose container it is: its boot and boot clock are what stamps are compared with.
    let owner = isHome ? phone : Phone(home: phone.home + "/..")
    let report = try ContainerReport(of: directory, clock: owner.clock)
    if invocation.output.isJSON {
      invocation.output.say(report.json.text)
    } else {
      report.tell(invocation.output, isFull: invocation.line.isGiven("-a"))
    }
    return .done
  }
}
