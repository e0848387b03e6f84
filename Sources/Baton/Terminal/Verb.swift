// Terminal: what every verb of `baton` has: what was typed, output, signals, a place to play in.

import PhoneClient
import DaemonRuntime
import Glibc

/// One thing that a user can ask for. Each has a file of its own and a page in docs/commands.
package protocol Verb {
  static var declaration: CommandLineDeclaration { get }
  static func run(_ invocation: Invocation) throws -> ExitCode
  /// How it is watched over; nil for one that leaves nothing behind, or only what is to stay.
  static func supervision(_ line: ParsedCommandLine) -> Supervision?
}

extension Verb {
  package static func supervision(_ line: ParsedCommandLine) -> Supervision? { nil }
}

/// What was typed, and what every verb needs from it.
package struct Invocation {
  package let line: ParsedCommandLine
  /// As it was named, and not looked at yet.
  package let home: String
  package let output: Output
  /// Of a verb that is watched over.
  package let place: ScratchPlace?

  package init(line: ParsedCommandLine, place: ScratchPlace? = nil) throws(UsageError) {
    self.line = line
    self.place = place
    output = Output(isJSON: line.isGiven("--json"))
    if let named = line.text("--home") {
      home = Phone(home: named).home
    } else {
      home = Phone(home: try TypedArguments.environment("BATON_HOME", .path("DIR")) ?? "./.baton").home
    }
  }

  /// The phone of that home. Throws if another user could have put things into the home: then nothing of it is used.
  package var phone: Phone {
    get throws(CommandFailure) {
      do throws(SystemError) { try OwnHome.check(home) } catch {
        throw CommandFailure(.cannotCreate, error.description + adviceToCopy)
      }
      return Phone(home: home)
    }
  }

  /// What only reads can do that on a copy; whoever runs the phone must be its owner.
  private var adviceToCopy: String {
    var status = stat()
    let reads = ["logs", "payments", "ps", "pushes", "status"].contains(line.verbs.first ?? "")
    guard reads, lstat(home, &status) == 0, status.st_uid != geteuid() else { return "" }
    return "; to look at it, make a copy of your own with `cp -r`"
  }

  /// The nth word behind the verb, which the declaration says must be there.
  package func word(_ place: Int = 0) -> String {
    place < line.positionals.count ? line.positionals[place] : ""
  }
}
