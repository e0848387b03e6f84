/// Shell completion scripts, derived from a declaration.
public enum ShellCompletion: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  public func script(for declaration: CommandLineDeclaration) -> String {
    let commands = CompletionCommand.all(of: declaration)
    switch self {
    case .bash: return Self.bashScript(declaration.name, commands)
    case .zsh: return Self.zshScript(declaration.name, commands)
    case .fish: return Self.fishScript(declaration.name, commands)
    }
  }

  // MARK: bash

  private static func bashScript(_ program: String, _ commands: [CompletionCommand]) -> String {
    let function = "_\(identifier(program))_completion"
    var text = """
      # bash completion for \(program)
      \(function)() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
        local verbs="" word index
        for ((index = 1; index < COMP_CWORD; index++)); do
          word="${COMP_WORDS[index]}"
          case "$verbs $word" in

      """
    for command in commands where !command.verbs.isEmpty {
      text += "      \(quoted(" " + command.path)) ) verbs=\(quoted(" " + command.path)) ;;\n"
    }
    text += "      *) ;;\n    esac\n  done\n  case \"$verbs\" in\n"
    for command in commands {
      let key = command.verbs.isEmpty ? "" : " " + command.path
      text += "    \(quoted(key)))\n      case \"$previous\" in\n"
      for option in command.options where option.value != .none {
        text += "        \(option.names.joined(separator: "|"))) \(bashValues(option.value)) ;;\n"
      }
      text += "        *) ;;\n      esac\n"
      text += "      \(bashWords(command.words))\n"
      if command.takesPath {
        text += "      [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
      }
      text += "      ;;\n"
    }
    return text + "  esac\n}\ncomplete -o filenames -F \(function) \(program)\n"
  }

  private static func bashValues(_ value: OptionValue) -> String {
    switch value {
    case .choice(let words): "\(bashWords(words)); return"
    case .list(_, let words): "\(bashList(words)); return"
    case .path: "COMPREPLY=($(compgen -f -- \"$current\")); return"
    default: "COMPREPLY=(); return"
    }
  }

  /// Completes the word after the last comma.
  private static func bashList(_ words: [String]) -> String {
    "local last=\"${current##*,}\"; COMPREPLY=($(compgen -P \"${current%\"$last\"}\" -W \(quoted(words.joined(separator: " "))) -- \"$last\"))"
  }

  private static func bashWords(_ words: [String]) -> String {
    "COMPREPLY=($(compgen -W \(quoted(words.joined(separator: " "))) -- \"$current\"))"
  }

  // MARK: zsh

  private static func zshScript(_ program: String, _ commands: [CompletionCommand]) -> String {
    let function = "_\(identifier(program))"
    var text = """
      #compdef \(program)
      # zsh completion for \(program)
      \(function)() {
        local verbs="" word index
        for ((index = 2; index < CURRENT; index++)); do
          word="${words[index]}"
          case "$verbs $word" in

      """
    for command in commands where !command.verbs.isEmpty {
      text += "      \(quoted(" " + command.path)) ) verbs=\(quoted(" " + command.path)) ;;\n"
    }
    text += "    esac\n  done\n  case \"$verbs\" in\n"
    for command in commands {
      text += "    \(quoted(command.verbs.isEmpty ? "" : " " + command.path)))\n"
      text += "      case \"${words[CURRENT-1]}\" in\n"
      for option in command.options where option.value != .none {
        text += "        \(option.names.joined(separator: "|"))) \(zshValues(option.value)); return ;;\n"
      }
      text += "      esac\n"
      let described = command.describedWords.map { quoted("\(escapedColons($0.word)):\($0.help)") }
      text += "      local -a known=(\(described.joined(separator: " ")))\n      _describe 'word' known\n"
      if command.takesPath { text += "      _files\n" }
      text += "      ;;\n"
    }
    // As a file in the shell's fpath this text is the function's first call; sourced, it only declares.
    return text + "  esac\n}\n"
      + "if [ \"${funcstack[1]}\" = \(function) ]; then \(function) \"$@\"; else compdef \(function) \(program); fi\n"
  }

  private static func zshValues(_ value: OptionValue) -> String {
    switch value {
    case .choice(let words): "compadd -- \(words.map(quoted).joined(separator: " "))"
    case .list(_, let words): "compset -P '*,'; compadd -- \(words.map(quoted).joined(separator: " "))"
    case .path: "_files"
    default: "_message 'value'"
    }
  }

  private static func escapedColons(_ word: String) -> String {
    word.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
  }

  // MARK: fish

  private static func fishScript(_ program: String, _ commands: [CompletionCommand]) -> String {
    let function = "__\(identifier(program))_verbs"
    var text = """
      # fish completion for \(program)
      function \(function)
        set -l verbs
        for word in (commandline -opc)[2..-1]
          switch "$verbs $word"

      """
    for command in commands where !command.verbs.isEmpty {
      let before = command.verbs.dropLast().joined(separator: " ")
      text += "      case \(quoted("\(before) \(command.verbs[command.verbs.count - 1])"))\n"
      text += "        set verbs \(quoted(command.path))\n"
    }
    text +=
      "      case '*'\n    end\n  end\n  test \"$verbs\" = \"$argv[1]\"\nend\ncomplete -c \(program) -f\n"
    for command in commands {
      let condition = "-n \(quoted("\(function) \(quotedForFish(command.path))"))"
      for sub in command.subcommands {
        text += "complete -c \(program) \(condition) -a \(quoted(sub.name)) -d \(quoted(sub.summary))\n"
      }
      for option in command.options {
        let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
        text +=
          "complete -c \(program) \(condition) \(names.joined(separator: " "))\(fishValues(option.value))"
        text += " -d \(quoted(option.help))\n"
      }
      for choice in command.choices {
        text += "complete -c \(program) \(condition) -a \(quoted(choice.word)) -d \(quoted(choice.help))\n"
      }
      if command.takesPath { text += "complete -c \(program) \(condition) -F\n" }
    }
    return text
  }

  private static func fishValues(_ value: OptionValue) -> String {
    switch value {
    case .none: ""
    case .choice(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    case .list(_, let words): " -x -a \(quoted("(__fish_append , \(words.joined(separator: " ")))"))"
    case .path: " -r -F"
    default: " -x"
    }
  }

  private static func quotedForFish(_ text: String) -> String { "\"\(text)\"" }

  // MARK: Words

  private static func identifier(_ program: String) -> String {
    String(program.map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  /// In single quotes for all three shells; an apostrophe is replaced, as only fish could escape it.
  private static func quoted(_ text: String) -> String {
    "'\(String(text.map { $0 == "'" || $0 == "\\" ? "’" : $0 }))'"
  }
}

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
