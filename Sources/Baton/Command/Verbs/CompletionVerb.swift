import DaemonRuntime
import PhonePolicy

/// Prints a completion script for a shell.
enum CompletionVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "completion", summary: "print a completion script for bash, zsh or fish",
    positionals: [
      PositionalDeclaration(
        "SHELL", value: .choice(ShellCompletion.allCases.map(\.rawValue)),
        help: "the shell that the script is for"),
      PositionalDeclaration(
        "WORD", count: .any,
        help: "from the script: a typed word after `=`; print what may be typed in place of the last"),
    ],
    examples: [
      ("source <(baton completion bash)", "completion in this bash session"),
      (
        "baton completion fish > ~/.config/fish/completions/baton.fish",
        "completion in every new fish session"
      ),
    ])

  static func run(_ invocation: Invocation) -> ExitCode {
    guard let shell = ShellCompletion(rawValue: invocation.word()) else { return .wrongUsage }
    let typed = invocation.line.positionals.dropFirst().map { String($0.dropFirst()) }
    let script =
      typed.isEmpty
      ? shell.script
      : Program.declaration.completions(of: typed).map { "\($0.word)\t\($0.help)\n" }.joined()
    guard invocation.output.isJSON else {
      StandardOutput.write(script)
      return .done
    }
    invocation.output.say(Document(shell: shell.rawValue, script: script))
    return .done
  }

  struct Document: Report {
    var shell: String
    var script: String
  }
}
