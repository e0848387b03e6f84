import DaemonRuntime
import Simulation
import Guardrails

/// The options of `explore`: the world, its bounds and the limits.
struct ExploreOptions {
  private(set) var settings = ExploreSettings()
  private(set) var limits = ExploreLimits()

  static var declarations: [OptionDeclaration] {
    Allowance.allCases.map { allowance in
      OptionDeclaration(
        "--" + allowance.word, value: .integer(0...255), default: String(Bounds.standard[allowance]),
        help: allowance.sentence + (allowance == .tasks ? " (only with --as baton or phoenix)" : ""))
    } + [
      OptionDeclaration(
        "--states", value: .integer(1...1_000_000_000), default: "20000000",
        help: "give up beyond N states; 300,000 took 0.1 GB of memory"),
      OptionDeclaration(
        "--max-minutes", value: .integer(1...1_000_000), default: "60", help: "give up after N minutes"),
      OptionDeclaration(
        "--max-memory", value: .integer(16...1_048_576),
        help: "give up at N MB of memory; default: half of the machine's memory"),
      OptionDeclaration(
        "--all", help: "continue after a violation, and print a shortest run of each kind of violation"),
      OptionDeclaration(
        "--app-suspended",
        help: "at the start the app is suspended in the background; otherwise it does not run"),
      OptionDeclaration(
        "--user-away", help: "the user does not open the app at the end: payments are received all the same"),
      SimOptions.coordinationDeclaration, WalletOption.declaration,
    ] + ["--storage-delay", "--start-delay", "--after-content"].map { SettingsTable[$0] }
      + SimOptions.worldDeclarations
  }

  init(_ line: ParsedCommandLine) throws {
    for allowance in Allowance.allCases {
      settings.bounds[allowance] = line.integer("--" + allowance.word).map { Int(clamping: $0) } ?? 0
    }
    settings.appIsSuspended = line.isGiven("--app-suspended")
    settings.userStaysAway = line.isGiven("--user-away")
    settings.findsAll = line.isGiven("--all")
    settings.world = try SimOptions(line).settings(seed: 0).world
    guard !settings.userStaysAway || settings.world.wallet.extension.hasNode else {
      throw CommandFailure(
        .wrongUsage,
        "with --wallet \(settings.world.wallet.name) a payment needs the app, so the user cannot stay away; omit --user-away"
      )
    }
    guard settings.bounds[.moves] == 0 || settings.world.allowsMoves else {
      throw CommandFailure(
        .wrongUsage,
        "--moves needs Baton's coordination and a peer that tells two devices apart; omit --peer legacy, --as and --without peer-fencing"
      )
    }
    settings.world.storageDelay = line.time("--storage-delay")
    settings.world.startDelay = line.time("--start-delay")
    limits.states = line.integer("--states").map { Int(clamping: $0) } ?? .max
    limits.time = line.integer("--max-minutes").map { .seconds($0 * 60) }
    limits.memoryBytes =
      line.integer("--max-memory").map { UInt64($0) << 20 } ?? ExploreLimits.standardMemoryBytes
  }
}

extension Allowance {
  /// The option's name.
  package var word: String {
    switch self {
    case .pushes: "pushes"
    case .opens: "opens"
    case .crashes: "crashes"
    case .freezes: "freezes"
    case .preemptions: "preemptions"
    case .messageFaults: "message-faults"
    case .cuts: "cuts"
    case .slowConnections: "slow-connections"
    case .peerRestarts: "peer-restarts"
    case .replacedLocks: "replaced-locks"
    case .lostBeats: "lost-beats"
    case .lostPushes: "lost-pushes"
    case .reboots: "reboots"
    case .sleeps: "sleeps"
    case .copies: "copies"
    case .clockSteps: "clock-steps"
    case .tasks: "tasks"
    case .networks: "networks"
    case .storageFaults: "storage-faults"
    case .moves: "moves"
    }
  }
}
