/// One command as completion sees it: itself, and all options that are understood there.
struct CompletionCommand {
  var verbs: [String]
  var subcommands: [CommandLineDeclaration]
  var options: [OptionDeclaration]
  var positionals: [PositionalDeclaration]

  var path: String { verbs.joined(separator: " ") }
  var takesPath: Bool { positionals.contains { if case .path = $0.value { true } else { false } } }

  var describedWords: [(word: String, help: String)] {
    var words = subcommands.map { (word: $0.name, help: $0.summary) }
    for positional in positionals {
      if case .choice(let choices) = positional.value { words += choices.map { ($0, positional.help) } }
    }
    return words + options.flatMap { option in option.names.map { ($0, option.help) } } + [
      ("--help", "say this")
    ]
  }

  var words: [String] { describedWords.map(\.word) }

  static func all(
    of declaration: CommandLineDeclaration, verbs: [String] = [], inherited: [OptionDeclaration] = []
  ) -> [CompletionCommand] {
    let options = declaration.options + inherited
    let own = CompletionCommand(
      verbs: verbs, subcommands: declaration.subcommands, options: options,
      positionals: declaration.positionals)
    return [own]
      + declaration.subcommands.flatMap { all(of: $0, verbs: verbs + [$0.name], inherited: options) }
  }
}
