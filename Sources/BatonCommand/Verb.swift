import DaemonRuntime

/// One thing that a person can ask for. Each has a file of its own and a page in docs/commands.
protocol Verb {
  static var declaration: CommandLineDeclaration { get }
  static func run(_ invocation: Invocation) throws -> ExitCode
}

/// What was typed, and what every verb needs from it.
struct Invocation {
  let line: ParsedCommandLine
  /// As it was named, and not looked at yet.
  let home: String
  let output: Output

  init(line: ParsedCommandLine) {
    self.line = line
    output = Output(isJSON: line.isGiven("--json"))
    let named = line.text("--home") ?? TypedArguments.environmentOrExit("BATON_HOME", .path("DIR"))
    home = Phone(home: named ?? "./.baton").home
  }

  /// The phone of that home. Throws if somebody else could have put things into it: then nothing of it is used.
  var phone: Phone {
    get throws(CommandFailure) {
      do throws(SystemError) { try OwnHome.check(home) } catch {
        throw CommandFailure(.cannotCreate, error.description)
      }
      return Phone(home: home)
    }
  }

  /// The nth word behind the verb, which the declaration says must be there.
  func word(_ place: Int = 0) -> String { place < line.positionals.count ? line.positionals[place] : "" }
}
