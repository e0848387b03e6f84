import DaemonRuntime
import PhonePolicy

/// Finds and runs the verb; an error becomes one sentence and an exit code.
enum Program {
  static var groups: [(title: String, verbs: [any Verb.Type])] {
    [
      ("See it work", [DemoVerb.self]),
      (
        "One phone",
        [
          UpVerb.self, DownVerb.self, AppVerb.self, PushVerb.self, KillVerb.self, FreezeVerb.self,
          ThawVerb.self, InvoiceVerb.self, PayVerb.self, SendVerb.self, WithdrawVerb.self, RestoreVerb.self,
          DeviceVerb.self, LSPVerb.self, WebhookVerb.self, ScratchVerb.self,
        ]
      ),
      (
        "Look at it",
        [
          StatusVerb.self, WatchVerb.self, ServeVerb.self, ListVerb.self, LogsVerb.self, InspectVerb.self,
          DoctorVerb.self, TimelineVerb.self,
        ]
      ),
      (
        "Judge it",
        [
          JudgeVerb.self, ReplayVerb.self, RunVerb.self, CIVerb.self, SimVerb.self, ExploreVerb.self,
          AblationVerb.self, MuseumVerb.self, ChaosVerb.self, SoakVerb.self,
        ]
      ), ("And", [CompletionVerb.self, HelpVerb.self]),
    ]
  }

  static var verbs: [any Verb.Type] { groups.flatMap(\.verbs) }

  static let declaration = CommandLineDeclaration(
    name: "baton", summary: "one Lightning node, two processes, one holder at a time",
    options: [
      OptionDeclaration(
        "--home", value: .path("DIR"), help: "the phone's directory; default: BATON_HOME, else ./.baton"),
      OptionDeclaration("--json", help: "print JSON instead of text"),
    ],
    subcommands: verbs.map { $0.declaration })

  static func run(_ arguments: [String]) -> ExitCode {
    if arguments.isEmpty {
      writeAll(standardError, Array(Welcome.text.utf8))
      return .wrongUsage
    }
    do {
      return StandardOutput.end(try perform(arguments))
    } catch { return end(CommandFailure(error), arguments) }
  }

  /// Prints the error on stderr, and with --json also on stdout, even if the rest of the line is invalid.
  static func end(_ failure: CommandFailure, _ arguments: [String]) -> ExitCode {
    StandardOutput.end(failure.tell(asJSON: arguments.prefix { $0 != "--" }.contains("--json")))
  }

  private static func perform(_ arguments: [String]) throws -> ExitCode {
    // An unknown verb is refused below, also with -h.
    if asksForWelcome(arguments), case .help = try declaration.parse(arguments + ["-h"]) {
      StandardOutput.write(Welcome.text)
      return .done
    }
    let typed = arguments.prefix { $0 != "--" }
    if typed.contains("--version"), !typed.contains("-h"), !typed.contains("--help") {
      Versions().tell(Output(isJSON: typed.contains("--json")))
      return .done
    }
    switch try declaration.parse(arguments) {
    case .help(let text):
      StandardOutput.write(text)
      return .done
    case .run(let line):
      guard let verb = verbs.first(where: { $0.declaration.name == line.verbs.first }) else {
        return .wrongUsage
      }
      guard let plan = verb.supervision(line) else { return try verb.run(try Invocation(line: line)) }
      Supervisor.run(plan, named: verb.declaration.name) { place in
        do {
          return StandardOutput.end(try verb.run(try Invocation(line: line, place: place))).rawValue
        } catch { return end(CommandFailure(error), arguments).rawValue }
      }
    }
  }

  private static func asksForWelcome(_ words: [String]) -> Bool {
    let names = Set(verbs.map { $0.declaration.name })
    let asksForHelp = words.contains { $0 == "-h" || $0 == "--help" } || words == ["help"]
    return asksForHelp && !words.contains { names.contains($0) }
  }
}

/// The overview that `baton` prints without arguments.
enum Welcome {
  static var text: String {
    """
    Baton: one Lightning node, two processes, one holder at a time.
    On iOS a wallet is an app and a notification extension that share one node; if both run it at once, money is lost.
    Baton runs both as real processes on an emulated phone, kills them, and checks that no payment is lost.

    \(Program.groups.map(section).joined())
    Every verb takes -h, --json and --home DIR (default: BATON_HOME, else ./.baton).

      baton demo
      baton up && baton app open && baton pay $(baton invoice 5000 --text Coffee)
      baton logs -f

    More: help VERB, docs/commands/ (guides), ARCHITECTURE.md (the code), docs/guardrails.md (the rules).

    """
  }

  private static func section(_ title: String, _ verbs: [any Verb.Type]) -> String {
    verbs.map { $0.declaration }.reduce("\(title)\n") { text, verb in
      "\(text)  \(verb.name)\(String(repeating: " ", count: 12 - verb.name.count))\(verb.summary)\n"
    }
  }
}

/// `--version`: the version, and those of all that is stored and printed.
struct Versions: Report {
  /// The version of docs/json/v1.schema.json: raised when a member is removed or changes its meaning, not for a new member.
  static let jsonVersion = 1

  var version = batonVersion
  /// The version of all JSON documents.
  var json = jsonVersion
  /// The schema of the wallet's container, and that of lspd's ledger: docs/schema.
  var container = SchemaNumber.container
  var ledger = SchemaNumber.ledger
  /// The form of the journals' records.
  var journal = JournalForm.current

  func tell(_ output: Output) {
    guard !output.isJSON else { return output.say(self) }
    output.say("baton \(version)")
    output.say("container \(container), ledger \(ledger), journal \(journal), JSON \(json)")
  }
}
