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
  /// The settings of its phone and its peer.
  func settings(in world: WorldSettings = WorldSettings()) -> StorySettings {
    var settings = StorySettings(world: world)
    settings.world.background = BackgroundWork.Habits()
    for step in steps { if case .given(let change) = step.command { change(&settings) } }
    let window = world.phone.silentPushes.window
    settings.world.phone.silentPushes.window = settings.world.phone.tasks.scaled(window)
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

  /// A setting with the time of its line: an option of iosd and the same in the simulated world.
  private static func phone(
    _ form: String, _ meaning: String, need: Need? = nil, _ option: String,
    _ field: WritableKeyPath<WorldSettings, TimeSpan> & Sendable
  ) -> Phrase {
    given(form, meaning, need: need) {
      $0.phone += [option, $1.milliseconds]
      $0.world[keyPath: field] = $1.span
    }
  }

  /// Options of iosd, and the same in the simulated world.
  private static func phone(
    _ form: String, _ meaning: String, need: Need? = nil, _ options: [String],
    _ change: @escaping @Sendable (inout WorldSettings) -> Void
  ) -> Phrase {
    given(form, meaning, need: need) { settings, _ in
      settings.phone += options
      change(&settings.world)
    }
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
      "--suspend-after", \.phone.suspendAfter),
    given(
      "the extension runs on after its content", "Until it has finished the push; by default iOS suspends it."
    ) { settings, _ in settings.setAfterContent(.run) },
    given(
      "the extension is killed after its content",
      "As soon as iOS has the content; by default iOS suspends it."
    ) { settings, _ in settings.setAfterContent(.kill) },
    phone(
      "the phone gives the extension TIME to start", "From its launch to its first message; default 10 s.",
      "--extension-start-time", \.phone.extensionStartTime),
    phone(
      "the extension takes TIME to start",
      "From its launch to its first message, as by mistake; default: the milliseconds that its real process takes.",
      need: .options, "--fault-slow-launch", \.extensionTakesToStart),
    phone(
      "the phone spares who is suspended with a lock",
      "By default iOS kills a process that it suspends with a lock in the container: 0xdead10cc.",
      ["--suspended-with-lock", "spare"]
    ) { $0.phone.sparesLockHolders = true },
    given(
      "the PROCESS leaves a read of the database open",
      "It begins a read transaction and never finishes: a lock, when iOS suspends the process.",
      need: .options
    ) {
      $0.phone += ["--fault-open-read", $1.role.rawValue]
      $0.world.openReads.insert($1.role)
    },
    phone(
      "each push starts a new extension",
      "A suspended extension is not resumed, but ended and started again.", ["--extension-reuse", "no"]
    ) { $0.phone.reusesExtension = false },
    phone(
      "the phone gives the app TIME in the background",
      "The time that `beginBackgroundTask` gives the app; default 180 s.", "--background-time",
      \.phone.backgroundTime),
    given(
      "what the wallet pays takes TIME to arrive",
      "The time until an outgoing payment reaches its recipient; default 0 s.", need: .peer
    ) {
      $0.peer += ["--arrival-delay", $1.milliseconds]
      $0.world.externalDelay = $1.span
    },
    phone(
      "the start of the wallet's node takes TIME",
      "In both processes the node waits this long for something outside, such as a fee server, before it dials; default 0 s.",
      need: .options, "--start-delay", \.startDelay),
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
    given(
      "the peer stores the wallet's backup at most once in TIME",
      "Of the backups that come in this time only the last is stored, at its end; until then the peer returns an older one, and a restart of the peer loses the newer one. Default 0 s: each backup is stored at once.",
      need: .peer
    ) {
      $0.peer += ["--storage-delay", $1.milliseconds]
      $0.world.storageDelay = $1.span
    },
    phone(
      "the phone gives the app TIME for a silent push",
      "The time to complete a silent push in the background; default 30 s.", "--silent-time",
      \.phone.silentPushes.completionTime),
    given(
      "the phone lets TIMES silent pushes an hour through",
      "How many silent pushes an hour may wake the app; default 3."
    ) {
      $0.phone += ["--silent-budget", "\($1.times)"]
      $0.world.phone.silentPushes.budget = $1.times
    },
    phone(
      "the phone holds silent pushes back in Low Power Mode",
      "The newest silent push waits until the mode is off; by default each is dropped.",
      ["--silent-low-power", SilentPushRules.LowPower.hold.rawValue]
    ) { $0.phone.silentPushes.lowPower = .hold },
    phone(
      "the phone runs a debug build",
      "The phone sets no limits of time and memory; a story can launch background tasks.",
      ["--build", "debug"]
    ) {
      $0.phone.enforcesLimits = false
      $0.phone.limitsBackground = false
    },
    given(
      "an hour of the phone's budgets takes TIME",
      "Scales the budgets of background tasks and silent pushes, not the time limit of a running task; default 1 h."
    ) {
      let scale = min(max(TimeSpan.seconds(3600).nanoseconds / $1.span.nanoseconds, 1), 1_000_000)
      $0.phone += ["--time-scale", "\(scale)"]
      $0.world.phone.tasks.timeScale = scale
    },
    phone(
      "the app has the background mode audio", "Without this line the phone refuses the app's audio.",
      ["--background-mode", "audio"]
    ) { $0.phone.hasAudioMode = true },
    phone(
      "the app plays audio in the background",
      "The app plays inaudible audio, so that the phone does not suspend it.", need: .audio,
      ["--keep-alive-audio"]
    ) { $0.background?.keepsAwakeByAudio = true },
    phone(
      "the app cleans up in the background",
      "The app also submits the task “com.example.lightning.processing”, which needs the charger; by default only “com.example.lightning.sync”.",
      need: .tasks, ["--clean-journals"]
    ) { $0.background?.cleansUp = true },
    given(
      "the phone warns the app above MEGABYTES MB",
      "The phone sends a memory warning above this footprint; default 100.", need: .memory,
      place: unmeasured
    ) { $0.phone += ["--memory-warning", "\($1.megabytes * 1_048_576)"] },
    given(
      "the extension has no entitlement for the wallet's seed",
      "The extension is signed without the seed's keychain access group.", need: .seed
    ) { settings, _ in
      settings.hidesSeed = true
      settings.world.phone.extensionEntitlements.accessGroups = []
    },
    phone(
      "the wallet's seed is kept for an unlocked phone",
      "The seed's keychain class is `when-unlocked`; default `after-first-unlock`.", need: .seed,
      ["--seed-protection", KeychainProtection.whenUnlocked.rawValue]
    ) { $0.seedProtection = .whenUnlocked },
    given(
      "the peer sends silent pushes too",
      "After each visible push the peer also requests a silent push, to wake the app.", need: .peer
    ) { settings, _ in
      settings.peer.append("--silent-pushes")
      settings.world.sendsSilentPushes = true
    },
  ]
}

extension Phrase.Found {
  fileprivate var milliseconds: String { "\(span.wholeMilliseconds)ms" }
}

extension StorySettings {
  fileprivate mutating func setAfterContent(_ mode: AfterContent) {
    phone += ["--after-content", mode.rawValue]
    world.phone.afterContent = mode
  }

  fileprivate mutating func setRetries(_ policy: RetryPolicy) {
    world.retries = policy
    world.losesHints = false
  }
}
