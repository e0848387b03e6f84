import DaemonRuntime
import Ground
import Guardrails
import Lightning
import PhonePolicy
import Simulation
import Wallet

/// What the head of a story sets, for both stages.
struct StorySettings: Sendable {
  /// The simulated world.
  var world: WorldSettings
  /// The options of iosd, of lspd, and of the senders' `baton pay`.
  var phone: [String] = []
  var peer: [String] = []
  var senders: [String] = []
  /// How long the peer holds a payment for a wallet that is away.
  var holdSeconds: Int64 = 120
  /// The extension is signed without the access group of the seed.
  var hidesSeed = false

  /// Both processes may use the container; only the app may read the seed.
  static let entitlements = """
    {"app":{"keychain-access-groups":["\(Entitlements.accessGroup)"],
      "com.apple.security.application-groups":["\(Entitlements.appGroup)"]},
     "extension":{"com.apple.security.application-groups":["\(Entitlements.appGroup)"]}}

    """
}

extension Scenario {
  /// The settings of its phone and its peer. Of `world` only the wallet, the kind of peer and the removed rules
  /// count.
  func settings(in world: WorldSettings = WorldSettings()) -> StorySettings {
    var settings = StorySettings(world: world)
    settings.world.background = BackgroundWork.Habits()
    for step in steps { if case .given(let change) = step.command { change(&settings) } }
    settings.setWorld()
    return settings
  }
}

// The language of settings.
extension Phrase {
  private static func given(
    _ form: String, _ meaning: String, need: Need? = nil, place: Scenario.Place = .everywhere,
    _ change: @escaping @Sendable (inout StorySettings, Found) -> Void
  ) -> Phrase {
    Phrase(form: form, meaning: meaning, place: place, need: need) { found in .given { change(&$0, found) } }
  }

  /// An option of iosd, without a value with the time of its line.
  private static func phone(
    _ form: String, _ meaning: String, need: Need? = nil, place: Scenario.Place = .everywhere,
    _ option: String, _ value: @escaping @Sendable (Found) -> String? = { $0.milliseconds }
  ) -> Phrase {
    given(form, meaning, need: need, place: place) { $0.phone += [option] + (value($1).map { [$0] } ?? []) }
  }

  /// An option of lspd, likewise.
  private static func peer(
    _ form: String, _ meaning: String, _ option: String,
    _ value: @escaping @Sendable (Found) -> String? = { $0.milliseconds }
  ) -> Phrase {
    given(form, meaning, need: .peer) { $0.peer += [option] + (value($1).map { [$0] } ?? []) }
  }

  static let head = wallets + settings

  /// One for each wallet but the default.
  private static let wallets = WalletProfile.all.dropFirst().map { wallet in
    given(
      "the wallet is \(wallet.name)",
      "In this wallet \(wallet.sentence); default \(WalletProfile.phoenix.name): \(WalletProfile.phoenix.sentence).",
      need: .wallet
    ) { settings, _ in settings.world.wallet = wallet }
  }

  private static let settings = [
    phone(
      "the phone suspends the app after TIME",
      "iOS suspends the app this long after it left the foreground, unless it has a background task; default 5 s.",
      "--suspend-after"),
    phone(
      "the extension runs on after its content",
      "Until it has finished the push; by default iOS suspends it.",
      "--after-content"
    ) { _ in AfterContent.run.rawValue },
    phone(
      "the extension is killed after its content",
      "As soon as iOS has the content; by default iOS suspends it.", "--after-content"
    ) { _ in AfterContent.kill.rawValue },
    phone(
      "the phone gives the extension TIME to start", "From its launch to its first message; default 10 s.",
      "--extension-start-time"),
    phone(
      "the extension takes TIME to start",
      "From its launch to its first message, as by mistake; default: the milliseconds that its real process takes.",
      need: .options,
      "--fault-slow-launch"),
    phone(
      "the phone spares who is suspended with a lock",
      "By default iOS kills a process that it suspends with a lock in the container: 0xdead10cc.",
      "--suspended-with-lock"
    ) { _ in "spare" },
    phone(
      "the PROCESS leaves a read of the database open",
      "It begins a read transaction and never finishes: a lock, when iOS suspends the process.",
      need: .options, "--fault-open-read"
    ) { $0.role.rawValue },
    phone(
      "each push starts a new extension",
      "A suspended extension is not resumed, but ended and started again.", "--extension-reuse"
    ) { _ in "no" },
    phone(
      "the phone gives the app TIME in the background",
      "The time that `beginBackgroundTask` gives the app; default 180 s.",
      "--background-time"),
    peer(
      "what the wallet pays takes TIME to arrive",
      "The time until an outgoing payment reaches its recipient; default 0 s.", "--arrival-delay"),
    phone(
      "the start of the wallet's node takes TIME",
      "In both processes the node waits this long for something outside, such as a fee server, before it dials; default 0 s.",
      need: .options,
      "--start-delay"),
    given(
      "the peer holds a payment for TIME",
      "How long a payment waits at the peer for a wallet that is away; default 120 s, in whole seconds.",
      need: .peer
    ) {
      $0.holdSeconds = $1.span.wholeMilliseconds / 1000
      $0.world.holdTime = .seconds($0.holdSeconds)
    },
    given(
      "senders try again as the peer hints",
      "After a failure that may pass a sender asks the peer for a hint, for at most 12 s; by default it makes one attempt.",
      need: .peer
    ) { settings, _ in settings.setRetries(.hint) },
    given(
      "senders try again by a schedule",
      "After a failure that may pass: after 1, 3 and 7 s, for at most 12 s.", need: .peer
    ) { settings, _ in settings.setRetries(.interim) },
    given(
      "senders have AMOUNT sat",
      "Each sender that tries again can spend this much; by default it has enough.", need: .peer
    ) {
      $0.senders += ["--spendable", "\($1.amountSat ?? 0)"]
      $0.world.sendersHaveMsat = ($1.amountSat ?? 0) * 1000
    },
    peer(
      "the peer stores the wallet's backup at most once in TIME",
      "Of the backups that come in this time only the last is stored, at its end; until then the peer returns an older one, and a restart of the peer loses the newer one. Default 0 s: each backup is stored at once.",
      "--storage-delay"),
    phone(
      "the phone gives the app TIME for a silent push",
      "The time to complete a silent push in the background; default 30 s.",
      "--silent-time"),
    phone(
      "the phone lets TIMES silent pushes an hour through",
      "How many silent pushes an hour may wake the app; default 3.", "--silent-budget"
    ) { "\($0.times)" },
    phone(
      "the phone holds silent pushes back in Low Power Mode",
      "The newest silent push waits until the mode is off; by default each is dropped.",
      "--silent-low-power"
    ) { _ in SilentPushRules.LowPower.hold.rawValue },
    phone(
      "the phone runs a debug build",
      "The phone sets no limits of time and memory; a story can launch background tasks.",
      "--build"
    ) { _ in "debug" },
    phone(
      "an hour of the phone's budgets takes TIME",
      "Scales the budgets of background tasks and silent pushes, not the time limit of a running task; default 1 h.",
      "--time-scale"
    ) { "\(min(max(TimeSpan.seconds(3600).nanoseconds / $0.span.nanoseconds, 1), 1_000_000))" },
    phone(
      "the app has the background mode audio", "Without this line the phone refuses the app's audio.",
      "--background-mode"
    ) { _ in "audio" },
    phone(
      "the app plays audio in the background",
      "The app plays inaudible audio, so that the phone does not suspend it.", need: .audio,
      "--keep-alive-audio"
    ) { _ in nil },
    phone(
      "the app cleans up in the background",
      "The app also submits the task “com.example.lightning.processing”, which needs the charger; by default only “com.example.lightning.sync”.",
      need: .tasks, "--clean-journals"
    ) { _ in nil },
    phone(
      "the phone warns the app above MEGABYTES MB",
      "The phone sends a memory warning above this footprint; default 100.", need: .memory,
      place: unmeasured, "--memory-warning"
    ) { "\($0.megabytes * 1_048_576)" },
    given(
      "the extension has no entitlement for the wallet's seed",
      "The extension is signed without the seed's keychain access group.", need: .seed
    ) { settings, _ in settings.hidesSeed = true },
    phone(
      "the wallet's seed is kept for an unlocked phone",
      "The seed's keychain class is `when-unlocked`; default `after-first-unlock`.", need: .seed,
      "--seed-protection"
    ) { _ in KeychainProtection.whenUnlocked.rawValue },
    peer(
      "the peer sends silent pushes too",
      "After each visible push the peer also requests a silent push, to wake the app.", "--silent-pushes"
    ) { _ in nil },
  ]
}

extension Phrase.Found {
  fileprivate var milliseconds: String { "\(span.wholeMilliseconds)ms" }
}

extension StorySettings {
  /// The simulated world has what iosd, its wallet and lspd take from their options.
  fileprivate mutating func setWorld() {
    guard let (line, peerLine) = try? parsed() else {
      preconditionFailure("the parser refuses \(phone) \(peer)")
    }
    world.phone = PhoneConfiguration(line)
    if hidesSeed { world.phone.extensionEntitlements.accessGroups = [] }
    world.extensionTakesToStart = line.span("--fault-slow-launch") ?? .zero
    world.openReads = Set(line.all("--fault-open-read").compactMap(Role.init))
    world.seedProtection = line.word("--seed-protection", as: KeychainProtection.self)
    world.background?.keepsAwakeByAudio = line.isGiven("--keep-alive-audio")
    world.background?.cleansUp = line.isGiven("--clean-journals")
    world.startDelay = line.time("--start-delay")
    world.externalDelay = peerLine.time("--arrival-delay")
    world.storageDelay = peerLine.time("--storage-delay")
    world.sendsSilentPushes = peerLine.isGiven("--silent-pushes")
  }

  /// Why iosd or lspd refuses its options.
  var problem: String? {
    do { _ = try parsed() } catch { return "\(error)" }
    return nil
  }

  private func parsed() throws -> (phone: ParsedCommandLine, peer: ParsedCommandLine) {
    func line(_ words: [String], _ program: SettingsTable.Programs) throws -> ParsedCommandLine {
      let declaration = CommandLineDeclaration(
        name: "story", summary: "", options: SettingsTable.options(of: program))
      guard case .run(let line) = try declaration.parse(words) else {
        throw UsageError(description: "no run")
      }
      return line
    }
    return (try line(phone, .iosd), try line(peer, .lspd))
  }

  fileprivate mutating func setRetries(_ policy: RetryPolicy) {
    world.retries = policy
    world.losesHints = false
  }
}
