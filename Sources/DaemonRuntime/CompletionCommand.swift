/// One command for completion, with all options that apply to it.
struct CompletionCommand {
  var verbs: [String]
  var subcommands: [CommandLineDeclaration]
  var options: [OptionDeclaration]
  var positionals: [PositionalDeclaration]

  var path: String { verbs.joined(separator: " ") }
  var takesPath: Bool { positionals.contains { if case .path = $0.value { true } else { false } } }

  /// The possible values of its positionals.
  var choices: [(word: String, help: String)] {
    positionals.flatMap { positional -> [(word: String, help: String)] in
      let choices: [String]
      switch positional.value {
      case .choice(let words), .command(or: let words): choices = words
      default: return []
      }
      return choices.map { ($0, positional.help) }
    }
  }

  var describedWords: [(word: String, help: String)] {
    subcommands.map { (word: $0.name, help: $0.summary) } + choices
      + options.flatMap { option in option.names.map { ($0, option.help) } } + [
        ("--help", "print this help")
      ]
  }

  var words: [String] { describedWords.map(\.word) }

  static func all(
    of declaration: CommandLineDeclaration, in root: CommandLineDeclaration? = nil, verbs: [String] = [],
    inherited: [OptionDeclaration] = []
  ) -> [CompletionCommand] {
    var declaration = declaration
    // A positional that names a command is completed with the command names, without options.
    if let root,
      declaration.positionals.contains(where: { if case .command = $0.value { true } else { false } })
    {
      declaration.subcommands = root.subcommands.map(\.namesAlone)
    }
    let root = root ?? declaration
    let options = declaration.options + inherited
    let own = CompletionCommand(
      verbs: verbs, subcommands: declaration.subcommands, options: options,
      positionals: declaration.positionals)
    return [own]
      + declaration.subcommands.flatMap {
        all(of: $0, in: root, verbs: verbs + [$0.name], inherited: options)
      }
  }
}

extension CommandLineDeclaration {
  /// The command and its subcommands by name only.
  fileprivate var namesAlone: CommandLineDeclaration {
    CommandLineDeclaration(name: name, summary: summary, subcommands: subcommands.map(\.namesAlone))
  }
}
