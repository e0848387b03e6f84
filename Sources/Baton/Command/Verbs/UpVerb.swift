import Ground
import Glibc
import DaemonRuntime
import Heartbeat
import LightningIO
import PhonePolicy

/// Starts the daemons of one phone.
enum UpVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "up", summary: "start the phone and its Lightning peer",
    options: [
      OptionDeclaration(
        "--foreground",
        help: "stay until a signal, then stop the phone: for a service manager, which is told when it is up"
      )
    ] + startOptions,
    examples: [
      ("baton up", "a phone in ./.baton"),
      (
        "baton --home /tmp/phone up --takeover wait-stale",
        "detect a dead holder as Phoenix does: by the age of its last heartbeat"
      ),
    ])

  private static let startOptions: [OptionDeclaration] =
    [
      WalletOption.declaration,
      OptionDeclaration(
        "--peer", value: .choice(["fencing", "legacy"]), default: "fencing",
        help: "a legacy peer ignores epochs"),
    ] + SettingsTable.options(of: .up)
    + [
      OptionDeclaration("--iosd", value: .path("PATH"), help: "the program iosd (default beside baton)"),
      OptionDeclaration("--lspd", value: .path("PATH"), help: "the program lspd (default beside baton)"),
    ].grouped("programs")

  static func starterOptions(_ line: ParsedCommandLine, _ phone: Phone) throws -> PhoneStarter.Options {
    var options = PhoneStarter.Options(lspd: line.text("--lspd"), iosd: line.text("--iosd"))
    options.wallet = try WalletOption.profileOfPhone(line, phone)
    options.iosdArguments = SettingsTable.arguments(line, from: .up, to: .iosd)
    options.lspdArguments = SettingsTable.arguments(line, from: .up, to: .lspd, except: ["--phone"])
    // lspd would refuse it too, in terms of its own options.
    if line.isGiven("--sealed-silent-push"), !options.wallet.pushForm.announces {
      throw CommandFailure(
        .wrongUsage,
        "--sealed-silent-push is of a wallet whose pushes are sealed; add \(WalletOption.announcing)")
    }
    for other in line.all("--phone").map({ Phone(home: $0).home }) {
      // The peer would make it, and a mistyped one too.
      try require(
        FilePath.isDirectory(other), .cannotCreate,
        "there is no directory \(other) for the other phone; make it, or correct --phone")
      options.lspdArguments += ["--phone", other]
    }
    if line.text("--peer") == "legacy" { options.lspdArguments.append("--legacy") }
    return options
  }

  /// Checked before any start: iosd would refuse the timing only after lspd is up.
  private static func checkTiming(_ line: ParsedCommandLine) throws(CommandFailure) {
    do throws(HeartbeatTimingError) {
      _ = try HeartbeatTiming(interval: line.time("--beat-interval"), staleAfter: line.time("--stale-after"))
    } catch { throw CommandFailure(.wrongUsage, error.description) }
    if let error = PingRule.problem(line) { throw CommandFailure(.wrongUsage, error) }
  }

  /// An interrupted start leaves no daemon behind.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    // It handles the signals itself.
    if line.isGiven("--foreground") { return nil }
    return Supervision(leavesProcesses: true)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try checkTiming(invocation.line)
    try HandRunProcess.refuse(of: phone)
    let options = try starterOptions(invocation.line, phone)
    let starter = PhoneStarter(phone: phone, options: options)
    if invocation.line.isGiven("--foreground") {
      let manager = ServiceManager { getenv($0).map { String(cString: $0) } }
      return try ForegroundPhone(phone, manager).run(starter) { tell($0, phone, invocation) }
    }
    tell(try starter.start(), phone, invocation)
    return .done
  }

  private static func tell(_ result: PhoneStarter.Result, _ phone: Phone, _ invocation: Invocation) {
    let pids = Daemon.allCases.compactMap { daemon in result.pids[daemon].map { "\(daemon.rawValue) \($0)" } }
    invocation.output.say(
      sentence(result, pids.joined(separator: ", "), phone),
      json: Document(
        home: phone.home, wallet: HomeWallet.name(of: phone), iosd: result.pids[.iosd],
        lspd: result.pids[.lspd],
        started: result.started.map(\.rawValue), limits: LimitFacts.of(phone)))
    // Also options with the default value: the running daemon may have another.
    let isIgnored = result.started.count < 2 && startOptions.contains { invocation.line.isGiven($0.names[0]) }
    if isIgnored && !invocation.output.isJSON {
      invocation.output.say("options do not change a running daemon; use `baton down` first")
    }
  }

  private static func sentence(_ result: PhoneStarter.Result, _ pids: String, _ phone: Phone) -> String {
    switch result.started.count {
    case 0:
      "the phone \(phone.home) (\(HomeWallet.name(of: phone) ?? "unknown wallet")) is already up: \(pids)"
    case 1: "started the missing \(result.started[0].rawValue); the phone \(phone.home) is up: \(pids)"
    default: "the phone \(phone.home) is up: \(pids)"
    }
  }

  struct Document: Report {
    var home: String
    /// phoenix or bitkit.
    var wallet: String?
    var iosd: Int32?
    var lspd: Int32?
    /// The daemons that this start began.
    var started: [String]
    var limits: LimitFacts?
  }
}
