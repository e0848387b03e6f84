import DaemonRuntime

/// One thing that a person can ask for. Each has a file of its own and a page in docs/commands.
protocol Verb {
  static var declaration: CommandLineDeclaration { get }
  static func run(_ invocation: Invocation) throws -> ExitCode
  /// How it is watched over; nil for one that leaves nothing behind, or only what is to stay.
  static func supervision(_ line: ParsedCommandLine) -> Supervision?
}

extension Verb {
  static func supervision(_ line: ParsedCommandLine) -> Supervision? { nil }
}

/// What was typed, and what every verb needs from it.
struct Invocation {
  let line: ParsedCommandLine
  let phone: Phone
  let output: Output
  /// Of a verb that is watched over.
  let place: ScratchPlace?

  init(line: ParsedCommandLine, place: ScratchPlace? = nil) throws(UsageError) {
    self.line = line
    self.place = place
    output = Output(isJSON: line.isGiven("--json"))
    if let named = line.text("--home") {
      phone = Phone(home: named)
    } else {
      phone = Phone(home: try TypedArguments.environment("BATON_HOME", .path("DIR")) ?? "./.baton")
    }
  }

  /// The nth word behind the verb, which the declaration says must be there.
  func word(_ place: Int = 0) -> String { place < line.positionals.count ? line.positionals[place] : "" }
}
