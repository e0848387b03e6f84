import DaemonRuntime

/// Finds and runs the verb; an error becomes one sentence and an exit code.
enum Program {
  static var verbs: [any Verb.Type] {
    [
      DemoVerb.self, UpVerb.self, DownVerb.self, ListVerb.self, LogsVerb.self, AppVerb.self, PushVerb.self,
      KillVerb.self, FreezeVerb.self, ThawVerb.self, InvoiceVerb.self, PayVerb.self, SendVerb.self,
      WithdrawVerb.self, RestoreVerb.self, DeviceVerb.self, LSPVerb.self, WebhookVerb.self, StatusVerb.self,
      WatchVerb.self, ServeVerb.self, InspectVerb.self, DoctorVerb.self, JudgeVerb.self, TimelineVerb.self,
      ReplayVerb.self, RunVerb.self, CIVerb.self, SimVerb.self, ExploreVerb.self, AblationVerb.self,
      MuseumVerb.self, ChaosVerb.self, SoakVerb.self, ScratchVerb.self, PairVerb.self, CompletionVerb.self,
      HelpVerb.self,
    ]
  }

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
      Supervisor.run(plan) { place in
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
  static let text = """
    Baton: one Lightning node, two processes, one holder at a time.
    On iOS a wallet is an app and a notification extension that share one node; if both run it at once, money is lost.
    Baton runs both as real processes on an emulated phone, kills them, and checks that no payment is lost.

    See it work
      demo                 pay a phone with its app closed; open the app, kill the extension; print the story
    One phone
      up, down             start and stop the phone (iosd) and its Lightning peer (lspd)
      app open|home|quit   open the app, go home, swipe the app away; tap a notification
      kill, freeze, thaw   a signal to app, extension, lspd or iosd
      invoice, pay         make an invoice on the wallet; pay it as a sender
      send INVOICE         pay another node's invoice from the wallet
      withdraw AMOUNT ADDR send money from the wallet's channel to a bitcoin address
      restore              move the wallet back to this phone, if another device has it
      lsp fail CODE        the peer fails the next payments with a code of BOLT 4
      webhook              where the peer calls for the wallet: set, list, remove
      push FILE|--silent   deliver a push, as `xcrun simctl push` does, or a silent one
      device               the phone's settings: lock, low power, network and the like; its clock; reboot
      scratch -- COMMAND   a new phone for one command, removed if the command succeeds
      pair DIR             the two wallet processes and their peer by hand, without iosd
    Look at it
      status               who holds the node, why, since when
      watch, serve         the phone live, on this terminal or in a browser, with keys or buttons
      list KIND            processes, payments, pushes, notifications or background tasks
      logs -f              the journals of all processes, merged into one log
      inspect DIR          any shared container, in use or copied; --check, --diff OTHER
      doctor [DIR]         what is wrong, what it means, and what to do
      timeline [RUN]       a run as one HTML page: processes, epochs, messages, kills, payments
    Judge it
      judge DIR            the verdict on a run, from raw evidence
      replay JOURNAL…      compute every decision again and compare byte for byte
      run FILE             a story with expected answers, on real processes or --simulated
      ci --app A --ext B   every story that applies on your own two programs, with one directory of evidence
      sim                  app and extension in virtual time, with every fault, checked at every step
      explore              every interleaving of a few events, checked at every step
      ablation             remove each rule, and find the shortest story of what breaks
      museum [NAME]        published incidents of other products, and the same worlds with Baton
      chaos kill|freeze|crash  one process at a random moment of each payment, then the judge's verdict
      soak                 thousands of pushes through one phone: do its processes leak?
    And
      completion SHELL     completion for bash, zsh or fish
      help VERB            how a verb is used; help exit-codes lists the exit codes; --version

    Every verb takes -h, --json and --home DIR (default: BATON_HOME, else ./.baton).

      baton demo
      baton up && baton app open && baton pay $(baton invoice 5000 --text Coffee)
      baton logs -f

    More: help VERB, docs/commands/ (guides), ARCHITECTURE.md (the code), docs/guardrails.md (the rules).

    """
}
