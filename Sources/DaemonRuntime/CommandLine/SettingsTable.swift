import Ground
import Guardrails

/// The options that several programs have: `baton up` passes them on to iosd and lspd, iosd to app and extension. Each
/// is declared here alone.
public enum SettingsTable {
  public struct Programs: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user's verb.
    public static let up = Programs(rawValue: 1)
    public static let iosd = Programs(rawValue: 2)
    public static let lspd = Programs(rawValue: 4)
    public static let app = Programs(rawValue: 8)
    public static let `extension` = Programs(rawValue: 16)
    /// The extension without a node.
    public static let notifier = Programs(rawValue: 32)

    static let wallet: Programs = [.app, .extension]
    static let all: Programs = [.up, .iosd, .lspd, .app, .extension]
  }

  struct Row: Sendable {
    var programs: Programs
    var option: OptionDeclaration
    /// iosd passes it on also with its default. A program of another implementation gets the others only if they are
    /// given, and need not know them.
    var isAlwaysPassed = false
  }

  /// The declarations of one program's share of the table.
  public static func options(of program: Programs) -> [OptionDeclaration] {
    groups.flatMap { title, rows in
      let options = rows.filter { $0.programs.contains(program) }.map(\.option)
      return title.map(options.grouped) ?? options
    }
  }

  /// A setting of the phone, for a verb that has it alone.
  public static subscript(name: String) -> OptionDeclaration {
    guard let row = rows.first(where: { $0.programs.contains(.up) && $0.option.name == name }) else {
      preconditionFailure("the settings have no \(name)")
    }
    return row.option
  }

  /// What one program passes on to another, as it was given.
  public static func arguments(
    _ line: ParsedCommandLine, from program: Programs, to receiver: Programs, except omitted: [String] = []
  ) -> [String] {
    let passed = rows.filter { row in
      let name = row.option.name
      return row.programs.isSuperset(of: [program, receiver]) && !omitted.contains(name)
        && (line.isGiven(name) || row.isAlwaysPassed && program == .iosd)
    }
    return passed.flatMap { row in
      let name = row.option.name
      return row.option.value == .none ? [name] : line.all(name).flatMap { [name, $0] }
    }
  }

  // MARK: Rows

  private static func row(
    _ programs: Programs, _ name: String, _ value: OptionValue, default standard: String? = nil,
    mayRepeat: Bool = false, always: Bool = false, _ help: String
  ) -> Row {
    let option = OptionDeclaration(name, value: value, default: standard, mayRepeat: mayRepeat, help: help)
    return Row(programs: programs, option: option, isAlwaysPassed: always)
  }

  private static func flag(_ programs: Programs, _ name: String, _ help: String) -> Row {
    row(programs, name, .none, help)
  }

  private static let groups: [(title: String?, rows: [Row])] = [
    (nil, places), ("the two processes", coordination), ("the Lightning peer", peer),
    ("the emulated phone", phone), ("the wallet in the background", background), ("faults", faults),
    ("programs", programs), ("connections", connections),
  ]

  /// Kept: iosd asks for it at each launch.
  private static let rows: [Row] = groups.flatMap(\.rows)

  private static let places: [Row] = [
    row(
      [.wallet, .notifier], "--container", .path("DIR"), default: "AppGroup",
      "the App Group directory that both processes share"),
    row(
      [.wallet, .notifier], "--keychain", .path("DIR"), default: "Keychain",
      "where the file wallet-seed or push-key is; created if missing"),
    row(
      [.wallet, .notifier], "--keychain-group", .text("GROUP"),
      "started by iosd: seed or key is in the phone's keychain, in this access group"),
    row([.wallet, .notifier], "--journal", .path("DIR"), default: "journal", "where to write the journal"),
    row(
      [.wallet, .notifier], "--clock", .path("FILE"),
      "the phone's clock, as iosd writes it; default: the kernel's"),
    row([.iosd, .lspd], "--home", .path("DIR"), default: "./.baton", "the directory that is the phone"),
    row(
      [.iosd, .wallet], "--peer", .nodeAddress,
      "the Lightning peer of app and extension; lspd's is in the file lsp/address"),
    row(
      [.iosd, .wallet], "--peer-file", .path("FILE"),
      "a file with the peer's address, instead of --peer, which other users see in the list of processes"),
    row(
      [.iosd, .wallet], "--wallet", .choice(WalletProfile.all.map(\.name)),
      default: WalletProfile.phoenix.name,
      "which wallet is installed: bitkit has an extension without a node, which only notifies"),
  ]

  private static let coordination: [Row] = [
    row(
      [.up, .iosd, .wallet], "--takeover", .choice(Takeover.allCases.map(\.rawValue)),
      default: Takeover.lock.rawValue, always: true,
      "how a dead holder of the node is detected: by its lock, or by the age of its last beat"),
    row(
      [.up, .iosd, .wallet], "--beat-interval", .span, default: "2s", always: true,
      "how often the holder of the node beats"),
    row(
      [.up, .iosd, .wallet], "--stale-after", .span, default: "5s", always: true,
      "time without a beat after which a holder counts as frozen"),
    row(
      [.up, .iosd, .wallet], "--multi-part-window", .span, default: "60s",
      "how long the wallet waits for missing parts of a payment"),
    row(
      [.up, .iosd, .wallet], "--keep-parts", .choice(["container", "memory"]), default: "container",
      "which parts of a payment count: those in the container, or only those that came since the process connected"
    ),
    row(
      [.up, .iosd, .wallet], "--start-delay", .span, default: "0s",
      "how long the start of the wallet's node waits for something outside, such as a fee server, before it dials"
    ),
    flag(
      [.up, .iosd, .wallet], "--tor",
      "the wallet waits three times as long for the TCP connection and for `init`, as over Tor"),
  ]

  private static let peer: [Row] = [
    row(
      [.up, .lspd], "--hold-seconds", .integer(0...86_400),
      "how long the peer holds a payment for an offline wallet; 0: not at all (default 60, with Bitkit's pushes 25)"
    ),
    row(
      [.up, .lspd], "--arrival-delay", .span, default: "0s",
      "how long an outgoing payment takes through the network to its recipient"),
    flag([.up, .lspd], "--no-splices", "the peer offers no splices: the wallet cannot withdraw on chain"),
    row(
      [.up, .lspd], "--splice-delay", .span, default: "0s",
      "how long the peer takes to sign a splice; the wallet waits 30 s for each message"),
    row(
      [.up, .lspd], "--storage-delay", .span, default: "0s",
      "the peer stores the wallet's backup (peer_storage) at most once in this time, and else returns an older one"
    ),
    row(
      [.up, .lspd], "--phone", .path("DIR"), mayRepeat: true,
      "the peer also serves the phone in DIR, which `baton --home DIR up` then starts without a peer"),
    flag([.lspd], "--legacy", "ignore epochs: the newest connection replaces the others"),
    flag(
      [.up, .lspd], "--silent-pushes",
      "of Phoenix's pushes: after each visible push the peer sends a silent one, which may wake the app"),
    flag(
      [.up, .lspd], "--sealed-silent-push",
      "of Bitkit's pushes: the silent push is sealed too, and has neither hash nor amount in clear"),
    row(
      [.up, .lspd], "--webhook-cooldown", .span, default: "60s",
      "how long the peer waits between two notifications of one kind to the wallet's webhooks, and between two registrations of one webhook"
    ),
    flag(
      [.up, .lspd], "--only-webhooks",
      "the peer does not push to this phone: only the wallet's webhooks are called"),
    flag(
      [.up, .lspd], "--hint-token",
      "the peer answers senders' questions for hints only with the token in lsp/http-token"),
  ]

  private static let phone: [Row] = [
    row(
      [.up, .iosd], "--build", .choice(["production", "debug"]), default: "production",
      "a debug build of the wallet has no time and memory limits, and is not suspended"),
    row(
      [.up, .iosd], "--foreground-pushes", .choice(["app", "extension"]), default: "app",
      "which process gets a visible push while the app is in the foreground"),
    row(
      [.up, .iosd], "--entitlements", .choice(["critical-alerts"]), mayRepeat: true,
      "an entitlement that Apple has granted to the wallet"),
    row(
      [.iosd], "--entitlements-file", .path("FILE"),
      "JSON with the access groups and app groups of app and extension (default: the wallet's for both)"),
    row(
      [.iosd], "--url-scheme", .text("SCHEME"), mayRepeat: true,
      "a URL scheme that the app has registered: its links open the app"),
    row(
      [.iosd], "--memory-limit", .integer(1_048_576...1_099_511_627_776), default: "25165824",
      "bytes the extension may use"),
    row(
      [.up, .iosd], "--memory-mechanism", .choice(["auto", "cgroup", "polling"]), default: "auto",
      "how the extension's memory limit is enforced; auto: by the kernel if a memory cgroup can be made, else by polling"
    ),
    row(
      [.up, .iosd], "--memory-warning", .integer(1_048_576...1_099_511_627_776), default: "104857600",
      "footprint in bytes above which the app gets a memory warning"),
    row(
      [.up, .iosd, .wallet], "--seed-protection", .choice(["when-unlocked", "after-first-unlock"]),
      default: "after-first-unlock", always: true,
      "when the wallet can read a new seed, which it keeps in the phone's keychain"),
    row([.iosd], "--extension-time", .span, default: "30s", "time limit of the extension for one push"),
    row(
      [.iosd], "--expiry-notice", .span, default: "500ms",
      "how long before the end of --extension-time the extension is warned"),
    row([.iosd], "--extension-idle", .span, default: "60s", "how long an idle extension keeps running"),
    row([.iosd], "--grace", .span, default: "5s", "from asking a process to end to killing it"),
    row(
      [.up, .iosd], "--silent-budget", .integer(0...1000), default: "3",
      "silent pushes per hour that wake the app in the background"),
    row(
      [.up, .iosd], "--silent-low-power", .choice(["drop", "hold"]), default: "drop",
      "what happens to a silent push in Low Power Mode"),
    row(
      [.up, .iosd], "--silent-drop", .integer(0...100), default: "0",
      "percentage of silent pushes that are lost"),
    row([.up, .iosd], "--silent-delay", .span, default: "0", "the largest random delay of a silent push"),
    row(
      [.up, .iosd], "--silent-seed", .integer(0...Int64.max), default: "1",
      "seed of the random drops and delays"),
    row([.up, .iosd], "--silent-time", .span, default: "30s", "time for the app to handle a silent push"),
  ]

  private static let background: [Row] = [
    row(
      [.up, .iosd], "--after-content", .choice(["run", "suspend", "kill"]), default: "suspend",
      "what happens to an extension that has delivered its content: it finishes the push, is suspended or is killed"
    ),
    row(
      [.up, .iosd], "--extension-reuse", .choice(["yes", "no"]), default: "yes",
      "whether the next push resumes a suspended extension, or starts another process"),
    row(
      [.up, .iosd], "--extension-start-time", .span, default: "10s",
      "how long the extension may take from its launch to hello"),
    row(
      [.up, .iosd], "--activity-time", .span, default: "10s",
      "how long an expiring activity keeps a process from being suspended"),
    row(
      [.up, .iosd], "--suspended-with-lock", .choice(["kill", "spare"]), default: "kill",
      "what happens to a process that is suspended with a lock in the container"),
    row(
      [.up, .iosd], "--suspend-after", .span, default: "5s",
      "time in the background until the app is suspended"),
    row(
      [.up, .iosd], "--callback-time", .span, default: "5s",
      "time for the app to finish entering the background"),
    row(
      [.up, .iosd], "--background-time", .span, default: "180s",
      "how long `beginBackgroundTask` keeps the app awake"),
    row(
      [.up, .iosd], "--background-grace", .span, default: "5s",
      "time from the expiry of `beginBackgroundTask` until the app is killed"),
    row(
      [.up, .iosd], "--time-scale", .integer(1...1_000_000), default: "1",
      "divides the times until background work may start, never its time limits: 60 turns hours into minutes"
    ),
    row(
      [.up, .iosd], "--permitted-task", .text("ID"), mayRepeat: true,
      "an identifier of background tasks that the app declares (default: the wallet's)"),
    row([.iosd], "--refresh-time", .span, default: "30s", "time limit of an app refresh task"),
    row([.iosd], "--processing-time", .span, default: "180s", "time limit of a processing task"),
    row(
      [.iosd], "--task-grace", .span, default: "1s",
      "how long after its expiration a scheduled task may still complete"),
    row(
      [.iosd], "--sufficient-battery", .integer(0...100), default: "20",
      "at or below this percentage no scheduled task runs on battery"),
    row(
      [.iosd], "--task-deferral", .integer(0...100), default: "20",
      "percentage of processing tasks that the scheduler defers once"),
    row(
      [.iosd], "--task-seed", .integer(0...Int64.max), default: "1",
      "seed of the scheduler's random decisions"),
    row([.up, .iosd], "--background-mode", .choice(["audio"]), "a background mode that the app declares"),
    flag(
      [.up, .iosd, .app], "--keep-alive-audio",
      "in the background the app plays inaudible audio to stay awake"),
    flag(
      [.up, .iosd, .app], "--clean-journals",
      "the app submits a processing task that removes journals older than a week"),
  ]

  private static let faults: [Row] = [
    row(
      [.up, .iosd, .extension, .notifier], "--fault-ballast", .integer(1...1_073_741_824),
      "fault injection: at its first push the extension fills and keeps N bytes of memory"),
    flag(
      [.up, .iosd, .extension, .notifier], "--fault-hang",
      "fault injection: at its first push the extension hangs until iosd kills it"),
    row(
      [.up, .iosd, .extension, .notifier], "--fault-slow-launch", .span,
      "fault injection: the extension says hello so long after its start"),
    row(
      [.up, .iosd], "--fault-open-read", .choice(Role.allCases.map(\.rawValue)), mayRepeat: true,
      "fault injection: the process begins to read the database and never finishes"),
    flag(
      .wallet, "--fault-open-read",
      "fault injection: begin to read the database, and do not finish as long as the process lives"),
  ]

  private static let programs: [Row] = [
    row(
      [.up, .iosd], "--app", .path("PATH"),
      "your own program in place of mainappd; the default ones are beside the file of baton, also if a link leads to it"
    ),
    row([.up, .iosd], "--ext", .path("PATH"), "your own program in place of the wallet's extension"),
  ]

  private static let connections: [Row] = [
    row(
      .all, "--chatter", .integer(1...1_000_000), default: "\(PingRule.standardChatter)",
      "at most this many ignorable messages (ping, pong, warning, tx_abort, surplus backups, unknown odd types) of the other end in 10 s, then disconnect"
    ),
    row(
      .all, "--ping-after", .span, default: "30s",
      "ping the other end after this long without a message, and disconnect after as long again; 0: never"),
  ]
}
