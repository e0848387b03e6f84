import Ground
import Guardrails
import Lightning
import PhonePolicy
import Simulation
import Wallet

/// A setting of a story's phone or peer that differs from the default.
public enum Setting: Hashable, Sendable {
  /// The wallet on the phone, by its profile's name.
  case wallet(String)
  case suspendsAfter(TimeSpan)
  /// The app's time for background tasks.
  case backgroundTime(TimeSpan)
  /// How long an outgoing payment takes to its recipient.
  case arrivesAfter(TimeSpan)
  /// The peer stores the wallet's backup at most once in this time.
  case storesBackupEvery(TimeSpan)
  /// How long the peer holds a payment for a wallet that is away.
  case holdsPayments(TimeSpan)
  /// Senders try again: as the peer hints, or by the schedule without hints.
  case sendersRetry(byHints: Bool)
  /// What each sender that tries again can spend.
  case sendersHave(amountSat: UInt64)
  /// How long the start of the wallet's node waits for something outside before it dials.
  case startTakes(TimeSpan)
  /// No limits of time and memory, and tasks can be run by hand.
  case debugBuild
  /// The app's time for a silent push in the background.
  case silentTime(TimeSpan)
  case silentBudget(perHour: Int)
  /// In Low Power Mode the newest silent push waits instead of being dropped.
  case holdsInLowPower
  case sendsSilentPushes
  /// How long an hour of the phone's background budgets takes.
  case hourTakes(TimeSpan)
  /// The app declares the background mode audio.
  case hasAudioMode
  /// The app plays inaudible audio in the background.
  case playsAudio
  /// The app submits a processing task that removes old journals.
  case cleansUp
  case warnsOfMemory(megabytes: Int)
  /// The extension is signed without the access group of the seed.
  case extensionWithoutKeychain
  /// What iOS does with the extension when it has delivered its content.
  case afterContent(AfterContent)
  /// The extension's time from its launch to its first message.
  case extensionStarts(TimeSpan)
  /// How long the extension takes from its launch to its first message.
  case extensionTakesToStart(TimeSpan)
  /// A process that is suspended with a lock in the container is not killed.
  case sparesLockHolders
  /// The process begins to read the database and never finishes, as by mistake.
  case leavesReadOpen(Role)
  /// A suspended extension is not resumed: the next push starts another process.
  case startsExtensionAnew
  /// The seed can only be read while the phone is unlocked.
  case seedForUnlockedPhone
}

// The settings in the head of a story, for each stage.
extension Setting {
  /// iosd's options.
  var ofPhone: [String] {
    switch self {
    case .suspendsAfter(let span): ["--suspend-after", "\(span.wholeMilliseconds)ms"]
    case .backgroundTime(let span): ["--background-time", "\(span.wholeMilliseconds)ms"]
    case .startTakes(let span): ["--start-delay", "\(span.wholeMilliseconds)ms"]
    case .debugBuild: ["--build", "debug"]
    case .silentTime(let span): ["--silent-time", "\(span.wholeMilliseconds)ms"]
    case .silentBudget(let count): ["--silent-budget", "\(count)"]
    case .holdsInLowPower: ["--silent-low-power", SilentPushRules.LowPower.hold.rawValue]
    case .hourTakes: ["--time-scale", "\(timeScale)"]
    case .hasAudioMode: ["--background-mode", "audio"]
    case .playsAudio: ["--keep-alive-audio"]
    case .cleansUp: ["--clean-journals"]
    case .warnsOfMemory(let megabytes): ["--memory-warning", "\(megabytes * 1_048_576)"]
    case .seedForUnlockedPhone: ["--seed-protection", KeychainProtection.whenUnlocked.rawValue]
    case .afterContent(let mode): ["--after-content", mode.rawValue]
    case .extensionStarts(let time): ["--extension-start-time", "\(time.wholeMilliseconds)ms"]
    case .extensionTakesToStart(let time): ["--fault-slow-launch", "\(time.wholeMilliseconds)ms"]
    case .sparesLockHolders: ["--suspended-with-lock", "spare"]
    case .leavesReadOpen(let role): ["--fault-open-read", role.rawValue]
    case .startsExtensionAnew: ["--extension-reuse", "no"]
    case .wallet, .arrivesAfter, .storesBackupEvery, .holdsPayments, .sendersRetry, .sendersHave,
      .sendsSilentPushes, .extensionWithoutKeychain:
      []
    }
  }

  /// The wallet on the phone, if the setting names one.
  var wallet: WalletProfile? {
    guard case .wallet(let name) = self else { return nil }
    return WalletProfile(named: name)
  }

  /// iosd's options with the path of an entitlements file.
  func ofPhone(entitlements path: String) -> [String] {
    self == .extensionWithoutKeychain ? ["--entitlements-file", path] : []
  }

  /// Both processes may use the container; only the app may read the seed.
  package static let entitlements = """
    {"app":{"keychain-access-groups":["\(Entitlements.accessGroup)"],
      "com.apple.security.application-groups":["\(Entitlements.appGroup)"]},
     "extension":{"com.apple.security.application-groups":["\(Entitlements.appGroup)"]}}

    """

  /// The hold in lspd's unit, if the setting is one.
  var holdSeconds: Int64? {
    guard case .holdsPayments(let span) = self else { return nil }
    return span.wholeMilliseconds / 1000
  }

  /// The value of `baton pay --retry`, if the setting is one.
  var retryPolicy: String? {
    guard case .sendersRetry(let byHints) = self else { return nil }
    return (byHints ? RetryPolicy.hint : .interim).rawValue
  }

  /// `baton pay`'s options for what its sender can spend.
  var ofSenders: [String] {
    guard case .sendersHave(let amountSat) = self else { return [] }
    return ["--spendable", "\(amountSat)"]
  }

  /// The value of iosd's `--time-scale`.
  fileprivate var timeScale: Int64 {
    guard case .hourTakes(let span) = self else { return 1 }
    return min(max(TimeSpan.seconds(3600).nanoseconds / span.nanoseconds, 1), 1_000_000)
  }

  /// lspd's options.
  var ofPeer: [String] {
    switch self {
    case .sendsSilentPushes: ["--silent-pushes"]
    case .arrivesAfter(let span): ["--arrival-delay", "\(span.wholeMilliseconds)ms"]
    case .storesBackupEvery(let span): ["--storage-delay", "\(span.wholeMilliseconds)ms"]
    default: []
    }
  }
}

extension WorldSettings {
  package func with(_ settings: [Setting]) -> WorldSettings {
    var world = self
    world.background = BackgroundWork.Habits()
    for setting in settings {
      switch setting {
      case .wallet: world.wallet = setting.wallet ?? world.wallet
      case .suspendsAfter(let span): world.phone.suspendAfter = span
      case .backgroundTime(let span): world.phone.backgroundTime = span
      case .arrivesAfter(let span): world.externalDelay = span
      case .startTakes(let span): world.startDelay = span
      case .storesBackupEvery(let span): world.storageDelay = span
      case .sendersRetry(let byHints):
        world.retries = byHints ? .hint : .interim
        world.losesHints = false
      case .sendersHave(let amountSat): world.sendersHaveMsat = amountSat * 1000
      case .holdsPayments: world.holdTime = .seconds(setting.holdSeconds ?? 0)
      case .debugBuild:
        world.phone.enforcesLimits = false
        world.phone.limitsBackground = false
      case .silentTime(let span): world.phone.silentPushes.completionTime = span
      case .silentBudget(let count): world.phone.silentPushes.budget = count
      case .holdsInLowPower: world.phone.silentPushes.lowPower = .hold
      case .sendsSilentPushes: world.sendsSilentPushes = true
      case .hourTakes: world.phone.tasks.timeScale = setting.timeScale
      case .hasAudioMode: world.phone.hasAudioMode = true
      case .playsAudio: world.background?.keepsAwakeByAudio = true
      case .cleansUp: world.background?.cleansUp = true
      case .warnsOfMemory(let megabytes): world.phone.memoryWarningBytes = UInt64(megabytes) * 1_048_576
      case .afterContent(let mode): world.phone.afterContent = mode
      case .extensionStarts(let time): world.phone.extensionStartTime = time
      case .extensionTakesToStart(let time): world.extensionTakesToStart = time
      case .sparesLockHolders: world.phone.sparesLockHolders = true
      case .leavesReadOpen(let role): world.openReads.insert(role)
      case .startsExtensionAnew: world.phone.reusesExtension = false
      case .extensionWithoutKeychain: world.phone.extensionEntitlements.accessGroups = []
      case .seedForUnlockedPhone: world.seedProtection = .whenUnlocked
      }
    }
    world.phone.silentPushes.window = world.phone.tasks.scaled(phone.silentPushes.window)
    return world
  }
}
