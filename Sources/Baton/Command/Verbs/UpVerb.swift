import Ground
import Glibc
import DaemonRuntime
import Heartbeat
import LightningIO
import PhonePolicy

/// Starts the daemons of one phone.
enum UpVerb: Verb {
  static let passedToIOSd =
    [
      "--takeover", "--beat-interval", "--stale-after", "--multi-part-window", "--keep-parts",
      "--start-delay", "--build",
      "--app", "--ext",
      "--memory-mechanism",
      "--fault-ballast", "--fault-slow-launch", "--foreground-pushes", "--entitlements", "--memory-warning",
      "--seed-protection",
    ] + PhoneStartOptions.silentPushes.map { $0.names[0] }

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
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
  }

  /// Also options of `demo`.
  static var startOptions: [OptionDeclaration] {
    [WalletOption.declaration]
      + coordination.grouped("the two processes")
      + peer.grouped("the Lightning peer")
      + phone.grouped("the emulated phone") + PhoneStartOptions.silentPushes.grouped("the emulated phone")
      + faults.grouped("faults")
      + programs.grouped("programs")
      + BackgroundStartOptions.declarations.grouped("the wallet in the background")
      + ConnectionOptions.declarations.grouped("connections")
  }

  private static var coordination: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--takeover", value: .choice(["lock", "wait-stale"]),
        help: "how a process detects that the node's holder is dead (default lock)"),
      OptionDeclaration("--beat-interval", value: .span, help: "how often the holder beats (default 2s)"),
      OptionDeclaration(
        "--stale-after", value: .span,
        help: "time without a beat after which a holder counts as frozen (default 5s)"),
      OptionDeclaration(
        "--multi-part-window", value: .span,
        help: "how long the wallet waits for missing parts of a payment (default 60s)"),
      OptionDeclaration(
        "--keep-parts", value: .choice(["container", "memory"]),
        help: "with memory a process counts only the parts that came since it connected (default container)"
      ),
      OptionDeclaration(
        "--start-delay", value: .span,
        help:
          "how long the start of the wallet's node waits for something outside before it dials (default 0s)"),
      OptionDeclaration(
        "--tor",
        help:
          "the wallet waits three times as long for the TCP connection and for channel_reestablish, as over Tor"
      ),
    ]
  }

  private static var peer: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--hold-seconds", value: .integer(0...86_400),
        help:
          "how long the peer holds a payment for an offline wallet (default 60, with --wallet bitkit 25)"),
      OptionDeclaration(
        "--arrival-delay", value: .span,
        help: "how long an outgoing payment takes through the network (default 0s)"),
      OptionDeclaration("--no-splices", help: "the peer does not offer splicing"),
      OptionDeclaration(
        "--splice-delay", value: .span,
        help: "how long the peer takes to sign a splice (default 0s); the wallet waits 30 s for a message"),
      OptionDeclaration(
        "--storage-delay", value: .span,
        help:
          "the peer stores the wallet's backup at most once in this time, and else returns an older one (default 0s)"
      ),
      OptionDeclaration(
        "--phone", value: .path("DIR"), mayRepeat: true,
        help: "the peer also serves the phone in DIR, which `baton --home DIR up` then starts without a peer"),
      OptionDeclaration(
        "--peer", value: .choice(["fencing", "legacy"]),
        help: "a legacy peer ignores epochs (default fencing)"),
      OptionDeclaration(
        "--silent-pushes",
        help: "after each visible push the peer sends a silent one, which may wake the app"),
      OptionDeclaration(
        "--sealed-silent-push",
        help: "with --wallet bitkit: the silent push is sealed too, and has neither hash nor amount in clear"),
      OptionDeclaration(
        "--webhook-cooldown", value: .span,
        help:
          "how long the peer waits between two notifications of one kind to the wallet's webhooks (default 60s)"
      ),
      OptionDeclaration(
        "--only-webhooks", help: "the peer does not push to this phone: only the wallet's webhooks are called"
      ),
      OptionDeclaration(
        "--hint-token", help: "the peer answers senders' questions for hints only with its token"),
    ]
  }

  private static var phone: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--build", value: .choice(["production", "debug"]),
        help: "a debug build of the wallet has no time and memory limits (default production)"),
      OptionDeclaration(
        "--foreground-pushes", value: .choice(["app", "extension"]),
        help: "which process gets a visible push while the app is in the foreground (default app)"),
      OptionDeclaration(
        "--entitlements", value: .choice(["critical-alerts"]),
        help: "an entitlement that Apple has granted to the wallet"),
      OptionDeclaration(
        "--memory-mechanism", value: .choice(["auto", "cgroup", "polling"]),
        help: "how the extension's 24 MB are enforced (default auto: a memory cgroup, else polling)"),
      OptionDeclaration(
        "--memory-warning", value: .integer(1_048_576...1_099_511_627_776),
        help: "bytes at which the app gets a memory warning (default 104857600)"),
      OptionDeclaration(
        "--seed-protection", value: .choice(["when-unlocked", "after-first-unlock"]),
        help: "the protection class of a new seed (default after-first-unlock)"),
    ]
  }

  private static var faults: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--fault-ballast", value: .integer(1...1_073_741_824),
        help: "fault injection: at its first push the extension fills N bytes of memory"),
      OptionDeclaration(
        "--fault-hang", help: "fault injection: at its first push the extension hangs until iosd kills it"),
      OptionDeclaration(
        "--fault-slow-launch", value: .span,
        help: "fault injection: the extension says hello so long after its start"),
      OptionDeclaration(
        "--fault-open-read", value: .choice(Role.allCases.map(\.rawValue)), mayRepeat: true,
        help: "fault injection: the process begins to read the database and never finishes"),
    ]
  }

  private static var programs: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--app", value: .path("PATH"),
        help:
          "your own program in place of mainappd (default: beside the file of baton, also if a link leads to it)"
      ),
      OptionDeclaration("--ext", value: .path("PATH"), help: "your own program in place of notifyextd"),
      OptionDeclaration("--iosd", value: .path("PATH"), help: "the program iosd (default beside baton)"),
      OptionDeclaration("--lspd", value: .path("PATH"), help: "the program lspd (default beside baton)"),
    ]
  }

  static func starterOptions(_ line: ParsedCommandLine, _ phone: Phone) throws -> PhoneStarter.Options {
    var options = PhoneStarter.Options(lspd: line.text("--lspd"), iosd: line.text("--iosd"))
    options.wallet = try WalletOption.profileOfPhone(line, phone)
    for name in passedToIOSd { if let value = line.text(name) { options.iosdArguments += [name, value] } }
    for name in ["--fault-hang", "--tor"] where line.isGiven(name) { options.iosdArguments.append(name) }
    for role in line.all("--fault-open-read") { options.iosdArguments += ["--fault-open-read", role] }
    options.iosdArguments += BackgroundStartOptions.iosdArguments(line)
    let ofBothEnds = ConnectionOptions.arguments(line)
    options.iosdArguments += ofBothEnds
    options.lspdArguments += ofBothEnds
    if let seconds = line.text("--hold-seconds") { options.lspdArguments += ["--hold-seconds", seconds] }
    if let delay = line.text("--arrival-delay") { options.lspdArguments += ["--arrival-delay", delay] }
    if line.isGiven("--no-splices") { options.lspdArguments.append("--no-splices") }
    if let delay = line.text("--splice-delay") { options.lspdArguments += ["--splice-delay", delay] }
    if let delay = line.text("--storage-delay") { options.lspdArguments += ["--storage-delay", delay] }
    if let span = line.text("--webhook-cooldown") { options.lspdArguments += ["--webhook-cooldown", span] }
    for name in ["--silent-pushes", "--sealed-silent-push", "--only-webhooks", "--hint-token"]
    where line.isGiven(name) {
      options.lspdArguments.append(name)
    }
    // lspd would refuse it too, in terms of its own options.
    if line.isGiven("--sealed-silent-push"), !options.wallet.pushForm.announces {
      throw CommandFailure(
        .wrongUsage,
        "--sealed-silent-push is of a wallet whose pushes are sealed; add \(WalletOption.announcing)")
    }
    for other in line.all("--phone").map({ Phone(home: $0).home }) {
      // The peer would make it, and a mistyped one too.
      guard FilePath.isDirectory(other) else {
        throw CommandFailure(
          .cannotCreate, "there is no directory \(other) for the other phone; make it, or correct --phone")
      }
      options.lspdArguments += ["--phone", other]
    }
    if line.text("--peer") == "legacy" { options.lspdArguments.append("--legacy") }
    return options
  }

  /// Checked before any start: iosd would refuse the timing only after lspd is up.
  private static func checkTiming(_ line: ParsedCommandLine) throws(CommandFailure) {
    let standard = HeartbeatTiming.standard
    do throws(HeartbeatTimingError) {
      _ = try HeartbeatTiming(
        interval: line.span("--beat-interval") ?? standard.interval,
        staleAfter: line.span("--stale-after") ?? standard.staleAfter)
    } catch { throw CommandFailure(.wrongUsage, error.description) }
    if let error = PingRule.problem(line) { throw CommandFailure(.wrongUsage, error) }
  }

  /// An interrupted start leaves no daemon behind.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    // It handles the signals itself.
    if line.isGiven("--foreground") { return nil }
    return Supervision(name: "up", needsPlace: false, leavesProcesses: true)
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
        started: result.started.map(\.rawValue), limits: LimitsReport(phone)?.facts))
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
