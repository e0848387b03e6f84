import Glibc

/// The result of parsing a command line.
public enum CommandLineRequest: Sendable {
  case run(ParsedCommandLine)
  /// `-h`, `--version` or `--man` was given: print this text and exit 0.
  case help(String)
}

extension CommandLineDeclaration {
  /// Returns the parsed command line; prints help and exits 0; or prints one error sentence and exits 64.
  public func parseOrExit(_ arguments: [String] = TypedArguments.readOrExit()) -> ParsedCommandLine {
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
    if typed.contains("-h") || typed.contains("--help") {
      return .help(try helpText(of: commandWords(of: typed)))
    }
    if typed.contains("--man") {
      let word = commandWords(of: typed).first
      return .help(ManualPage(program: self, verb: subcommands.first { $0.name == word }).text)
    }
    if typed.contains("--version") { return .help("\(name) \(batonVersion)\n") }
    var parser = CommandLineParser(root: self)
    return .run(try parser.parse(arguments))
  }

  /// With `-h` the line is often incomplete: only the words that must name a command count.
  private func commandWords(of typed: ArraySlice<String>) -> [String] {
    var path = [self]
    var words: [String] = []
    var rest = typed
    while let last = path.last, !last.subcommands.isEmpty, let word = rest.popFirst() {
      if word.hasPrefix("-") {
        let option = path.flatMap(\.options).first { $0.names.contains(word) }
        if let option, option.value != .none { rest = rest.dropFirst() }
        continue
      }
      words.append(word)
      guard let next = last.subcommands.first(where: { $0.name == word }) else { break }
      path.append(next)
    }
    return words
  }

  /// The usage of the command named by these words.
  public func helpText(of words: [String]) throws(UsageError) -> String {
    var path = [self]
    for word in words {
      let current = path[path.count - 1]
      let name = path.map(\.name).joined(separator: " ")
      guard !current.subcommands.isEmpty else {
        throw UsageError(description: "\(UsageError.quoted(word)) is one word too many; see \(name) -h")
      }
      guard let next = current.subcommands.first(where: { $0.name == word }) else {
        throw UsageError(unknown: "command", word, among: current.subcommands.map(\.name), of: name)
      }
      path.append(next)
    }
    return CommandLineUsage(path: path).text
  }
}
