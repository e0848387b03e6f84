/// The completion script of each shell. It asks `baton` itself what may follow the typed words.
public enum ShellCompletion: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// The script passes each typed word after `=`, so that none is empty or an option. Of an answer's line it shows what
  /// is before the tab; a line `/` stands for the names of files.
  public var script: String {
    switch self {
    case .bash:
      #"""
      # bash completion for baton
      _baton_completion() {
        local word current=${COMP_WORDS[COMP_CWORD]} typed=("${COMP_WORDS[@]:1:COMP_CWORD}")
        COMPREPLY=()
        while IFS=$'\t' read -r word _; do
          if [ "$word" != / ]; then
            COMPREPLY+=("$word")
          else
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
          fi
        done < <("${COMP_WORDS[0]/#\~/$HOME}" completion bash "${typed[@]/#/=}" 2>/dev/null)
      }
      complete -o filenames -F _baton_completion baton

      """#
    case .zsh:
      // As a file in the shell's fpath this text is the function's first call; sourced, it only declares.
      #"""
      #compdef baton
      # zsh completion for baton
      _baton() {
        local word help files
        local -a known typed=("${(@)words[2,CURRENT]}")
        while IFS=$'\t' read -r word help; do
          if [[ $word == / ]]; then files=1; else known+=("${word//:/\\:}:$help"); fi
        done < <("${words[1]/#\~/$HOME}" completion zsh "${(@)typed/#/=}" 2>/dev/null)
        _describe 'word' known
        [[ -z $files ]] || _files
      }
      if [ "${funcstack[1]}" = _baton ]; then _baton "$@"; else compdef _baton baton; fi

      """#
    case .fish:
      #"""
      # fish completion for baton
      function __baton_completion
        set -l words (commandline -opc) (commandline -ct)
        for line in ($words[1] completion fish "="$words[2..-1] 2>/dev/null)
          if string match -q '/*' -- $line
            __fish_complete_path (commandline -ct)
          else
            echo $line
          end
        end
      end
      complete -c baton -f -a '(__baton_completion)'

      """#
    }
  }
}

extension CommandLineDeclaration {
  /// What may stand in place of the last of the typed words, which begins it; `/` for the names of files.
  public func completions(of typed: [String]) -> [(word: String, help: String)] {
    var command = self
    var options = options
    var awaited: OptionDeclaration?
    // A positional that names a command is completed with the names of commands, without their options.
    var isTopic = false
    for word in typed.dropLast() {
      if awaited != nil {
        awaited = nil
      } else if let option = options.first(where: { $0.names.contains(word) }) {
        awaited = option.value == .none ? nil : option
      } else if let next = command.subcommands.first(where: { $0.name == word }) {
        command = next
        options = isTopic ? [] : next.options + options
        if isTopic { command.positionals = [] }
        if command.positionals.contains(where: { if case .command = $0.value { true } else { false } }) {
          command.subcommands = subcommands
          isTopic = true
        }
      }
    }
    let begun = typed.last ?? ""
    var possible: [(word: String, help: String)] = []
    if let awaited {
      possible = awaited.value.completions(of: begun, awaited.help)
    } else {
      possible += command.subcommands.map { ($0.name, $0.summary) }
      possible += command.positionals.flatMap { $0.value.completions(of: begun, $0.help) }
      possible += options.flatMap { option in option.names.map { ($0, option.help) } }
      possible.append(("--help", "print this help"))
    }
    return possible.filter { $0.word == "/" ? !begun.hasPrefix("-") : $0.word.hasPrefix(begun) }
  }
}

extension OptionValue {
  fileprivate func completions(of begun: String, _ help: String) -> [(word: String, help: String)] {
    switch self {
    case .choice(let words), .command(or: let words): return words.map { ($0, help) }
    // The word after the last comma.
    case .list(_, let words):
      let before = begun.lastIndex(of: ",").map { begun[...$0] } ?? ""
      return words.map { (before + $0, help) }
    case .path: return [("/", help)]
    default: return []
    }
  }
}
