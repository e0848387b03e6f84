import PhoneClient
import Terminal
import DaemonRuntime
import Glibc

/// A phone for one command, and for as long as that runs.
enum ScratchVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "scratch", summary: "run a command with a new phone, and leave nothing of it behind",
      positionals: [
        PositionalDeclaration(
          "COMMAND", value: .text("COMMAND"), count: .atLeastOne,
          help: "a program with its arguments, behind a --; it finds its phone in BATON_HOME")
      ],
      examples: [
        (
          "baton scratch -- sh -c 'baton up && baton app open && my-test'",
          "whatever becomes of the test, no process and no directory of it is left"
        )
      ])
  }

  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(name: "scratch", isForeign: true)
  }

  /// The process becomes the command.
  static func run(_ invocation: Invocation) throws -> ExitCode {
    guard let place = invocation.place else {
      throw CommandFailure(.bugOfOurs, "there is no place for the phone")
    }
    setenv("BATON_SCRATCH", place.path, 1)
    setenv("BATON_HOME", "\(place.path)/phone", 1)
    let words = invocation.line.positionals
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execvp(words[0], &pointers)
    throw CommandFailure(.badConfiguration, SystemError("run \(words[0])").description)
  }
}
