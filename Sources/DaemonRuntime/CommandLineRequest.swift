import Glibc

/// What a command line asks for.
public enum CommandLineRequest: Sendable {
  case run(ParsedCommandLine)
  /// `-h` or `--version` was somewhere in it: print this and exit 0.
  case help(String)
}

extension CommandLineDeclaration {
  /// Prints help and exits 0, or prints one sentence and exits 64, or gives back what was typed.
  public func parseOrExit(_ arguments: [String] = TypedArguments.readOrExit())
    -> ParsedCommandLine
  {
    do throws(UsageError) {
      switch try parse(arguments) {
      case .run(let parsed): return parsed
      case .help(let text):
        writeAll(standardOutput, Array(text.utf8))
        exit(ExitCode.done.rawValue)
      }
    } catch { exitWithSentence(.wrongUsage, error.description) }
  }

  /// `arguments` without the program's name.
  public func parse(_ arguments: [String]) throws(UsageError) -> CommandLineRequest {
    let typed = arguments.prefix { $0 != "--" }
    if typed.contains("-h") || typed.contains("--help") { return .help(helpText(for: Array(typed))) }
    if typed.contains("--version") { return .help("\(name) \(batonVersion)\n") }
    var parser = CommandLineParser(root: self)
    return .run(try parser.parse(arguments))
  }

  /// The usage of what these words name; words that name nothing are passed over.
  public func helpText(for arguments: [String]) -> String {
    var path = [self]
    for word in arguments {
      if let next = path[path.count - 1].subcommands.first(where: { $0.name == word }) { path.append(next) }
    }
    return CommandLineUsage(path: path).text
  }
}
