// Baton/Terminal: shared by all verbs of `baton`: the command line, output, signals, scratch directories.

import DaemonRuntime
import Glibc
import Ground
import Guardrails
import PhonePolicy

/// A verb of `baton`. Each has its own file.
package protocol Verb {
  static var declaration: CommandLineDeclaration { get }
  static func run(_ invocation: Invocation) throws -> ExitCode
  /// It reads a database that no process may have open, from a copy in a temporary directory.
  static var copiesDatabases: Bool { get }
  /// How it is supervised; nil for a verb that has nothing to clean up.
  static func supervision(_ line: ParsedCommandLine) -> Supervision?
}

extension Verb {
  package static var copiesDatabases: Bool { false }

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    copiesDatabases ? Supervision(isLooking: true) : nil
  }
}

/// The command line, and what every verb needs from it.
package struct Invocation {
  package let line: ParsedCommandLine
  /// As named, not yet checked.
  package let home: String
  package let output: Output
  /// The scratch directory of a supervised verb.
  package let place: ScratchPlace?

  /// Prints the sentence, or the report with --json.
  func done<R: Report>(_ sentence: @autoclosure () -> String, json: @autoclosure () -> R) -> ExitCode {
    output.say(sentence(), json: json())
    return .done
  }

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

  /// The phone of that home. Throws if another user can change the home.
  package var phone: Phone {
    get throws(CommandFailure) {
      do throws(SystemError) { try OwnHome.check(home) } catch {
        throw CommandFailure(.cannotCreate, error.description + adviceToCopy)
      }
      return Phone(home: home)
    }
  }

  /// The phone of a home that is there: a missing one is most likely a typing mistake.
  package var presentPhone: Phone {
    get throws(CommandFailure) {
      let phone = try phone
      try require(
        FilePath.isDirectory(home), .daemonMissing,
        "there is no phone at \(home); start a phone with `baton up`, or name its directory with --home")
      return phone
    }
  }

  /// Verbs that only read can use a copy of another user's home.
  private var adviceToCopy: String {
    var status = stat()
    let reads = ["logs", "payments", "processes", "pushes", "status"].contains(line.verbs.last ?? "")
    guard reads, lstat(home, &status) == 0, status.st_uid != geteuid() else { return "" }
    return "; to read it, make your own copy with `cp -r`"
  }

  /// The nth positional argument; empty if an optional one is missing.
  package func word(_ place: Int = 0) -> String {
    place < line.positionals.count ? line.positionals[place] : ""
  }
}

/// `--peer`, the same for real and simulated phones.
package enum PeerOption {
  package static let declaration = OptionDeclaration(
    "--peer", value: .choice(["fencing", "legacy"]), default: "fencing",
    help: "a peer that knows epochs, or one for which the newest connection wins")

  package static func isLegacy(_ line: ParsedCommandLine) -> Bool { line.text("--peer") == "legacy" }
}

/// `--wallet`, the same for all verbs: which wallet the phone has.
package enum WalletOption {
  package static let name = "--wallet"

  /// The default of `--wallet` in a command of `baton scratch --wallet NAME`.
  package static let variable = "BATON_WALLET"

  package static let declaration = OptionDeclaration(
    name, value: names,
    help:
      "\(WalletProfile.all.map { "\($0.name): \($0.sentence)" }.joined(separator: "; ")) (default \(WalletProfile.phoenix.name))"
  )

  /// The wallet of a simulated world.
  package static func profile(_ line: ParsedCommandLine) -> WalletProfile {
    named(line.text(name)) ?? .phoenix
  }

  /// The wallet of a phone of real processes: the named one, else the one that its home has.
  package static func profileOfPhone(_ line: ParsedCommandLine, _ phone: Phone? = nil) throws -> WalletProfile
  {
    if let given = named(line.text(name)) { return given }
    if let phone, let kept = try HomeWallet.read(of: phone) { return kept }
    return named(try TypedArguments.environment(variable, names)) ?? .phoenix
  }

  /// What to add for an option of wallets whose payments are announced.
  package static var announcing: String {
    "\(name) \(WalletProfile.all.filter(\.pushForm.announces).map(\.name).joined(separator: "|"))"
  }

  private static var names: OptionValue { .choice(WalletProfile.all.map(\.name)) }

  private static func named(_ word: String?) -> WalletProfile? { word.flatMap(WalletProfile.init(named:)) }
}
