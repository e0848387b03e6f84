import DaemonRuntime
import Glibc

/// Runs one command with a temporary phone.
enum ScratchVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "scratch",
    summary: "run a command with a new phone, and remove the phone if the command succeeds",
    options: [WalletOption.declaration],
    positionals: [
      PositionalDeclaration(
        "COMMAND", value: .text("COMMAND"), count: .atLeastOne,
        help: "a program and its arguments, after --; BATON_HOME names the new phone")
    ],
    examples: [
      (
        "baton scratch -- sh -c 'baton up && baton app open && my-test'",
        "after exit code 0 no process and no directory of the test is left"
      ),
      (
        "baton scratch --wallet bitkit -- scripts/my-test",
        "every `baton up` in the command starts a phone with this wallet"
      ),
    ])

  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(isForeign: true)
  }

  /// The process becomes the command.
  static func run(_ invocation: Invocation) throws -> ExitCode {
    let place = try require(invocation.place, .bugOfOurs, "the temporary directory is missing")
    setenv("BATON_SCRATCH", place.path, 1)
    setenv("BATON_HOME", "\(place.path)/phone", 1)
    setenv(WalletOption.variable, try WalletOption.profileOfPhone(invocation.line).name, 1)
    let words = invocation.line.positionals
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execvp(words[0], &pointers)
    throw CommandFailure(.badConfiguration, SystemError("run \(words[0])").description)
  }
}
