import DaemonRuntime

/// One thing that a person can ask for. Each has a file of its own and a page in docs/commands.
protocol Verb {
  static var declaration: CommandLineDeclaration { get }
  static func run(_ invocation: Invocation) throws -> ExitCode
}

/// What was typed, and what every verb needs from it.
struct Invocation {
  let line: ParsedCommandLine
  let phone: Phone
  let output: Output

  init(line: ParsedCommandLine) {
    self.line = line
    output = Output(isJSON: line.isGiven("--json"))
    let named = line.text("--home") ?? TypedArguments.environmentOrExit("BATON_HOME", .path("DIR"))
    phone = Phone(home: named ?? "./.baton")
  }

  /// The nth word behind the verb, which the declaration says must be there.
  func word(_ place: Int = 0) -> String { place < line.positionals.count ? line.positionals[place] : "" }
}
