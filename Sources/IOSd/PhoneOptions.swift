import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Heartbeat
import PhonePolicy

let phoneCommandLine = CommandLineDeclaration(
  name: "iosd", summary: "emulates the phone for the two wallet processes",
  options: BackgroundOptions.declarations + [
    OptionDeclaration(
      "--home", value: .path("DIR"), default: "./.baton", help: "the directory that is the phone"),
    OptionDeclaration(
      "--app", value: .path("PATH"), help: "the program of the app (default mainappd beside iosd)"),
    OptionDeclaration(
      "--ext", value: .path("PATH"), help: "the program of the extension (default the wallet's, beside iosd)"),
    OptionDeclaration(
      "--wallet", value: .choice(WalletProfile.all.map(\.name)), default: WalletProfile.phoenix.name,
      help: "which wallet is installed: bitkit has an extension without a node, which only notifies"),
    OptionDeclaration("--peer", value: .nodeAddress, help: "the Lightning peer of app and extension"),
    OptionDeclaration(
      "--peer-file", value: .path("FILE"),
      help:
        "a file with the peer's address, instead of --peer, which other users see in the list of processes"),
    OptionDeclaration(
      "--tor",
      help:
        "for app and extension: the peer is reached over Tor, so dial and init may take three times as long"),
    OptionDeclaration(
      "--chatter", value: .integer(1...1_000_000),
      help:
        "for app and extension: the peer's ignorable messages (such as ping) accepted in 10 s (default 20)"
    ),
    OptionDeclaration(
      "--ping-after", value: .span,
      help: "for app and extension: they ping the peer after it was silent for this time (default 30s)"),
    OptionDeclaration(
      "--takeover", value: .choice(["lock", "wait-stale"]), default: "lock",
      help: "how app and extension detect that the holder of the node is dead"),
    OptionDeclaration(
      "--beat-interval", value: .span, default: "2s",
      help: "how often the holder of the node writes a heartbeat"),
    OptionDeclaration(
      "--stale-after", value: .span, default: "5s",
      help: "after how long without a heartbeat the holder of the node counts as frozen"),
    OptionDeclaration(
      "--multi-part-window", value: .span,
      help: "for app and extension: how long they wait for missing parts of a payment (default 60s)"),
    OptionDeclaration(
      "--keep-parts", value: .choice(["container", "memory"]),
      help: "for app and extension: which parts of a payment count (default container)"),
    OptionDeclaration(
      "--start-delay", value: .span,
      help:
        "for app and extension: how long the node's start waits for something outside before it dials (default 0s)"
    ),
    OptionDeclaration(
      "--build", value: .choice(["production", "debug"]), default: "production",
      help: "a debug build has no time and memory limits and is not suspended"),
    OptionDeclaration(
      "--extension-time", value: .span, default: "30s", help: "time limit of the extension for one push"),
    OptionDeclaration(
      "--expiry-notice", value: .span, default: "500ms",
      help: "how long before the end of --extension-time the extension is warned"),
    OptionDeclaration(
      "--extension-idle", value: .span, default: "60s", help: "how long an idle extension keeps running"),
    OptionDeclaration(
      "--grace", value: .span, default: "5s", help: "from asking a process to end to killing it"),
    OptionDeclaration(
      "--callback-time", value: .span, default: "5s",
      help: "time for the app to finish entering the background"),
    OptionDeclaration(
      "--suspend-after", value: .span, default: "5s",
      help: "time in the background until the app is suspended"),
    OptionDeclaration(
      "--background-time", value: .span, default: "180s",
      help: "how long tasks of beginBackgroundTask keep the app awake"),
    OptionDeclaration(
      "--background-grace", value: .span, default: "5s",
      help: "from the expiration of the app's beginBackgroundTask tasks to the app's kill"),
    OptionDeclaration(
      "--foreground-pushes", value: .choice(ForegroundPushes.allCases.map(\.rawValue)), default: "app",
      help: "which process gets a visible push while the app is in the foreground"),
    OptionDeclaration(
      "--memory-limit", value: .integer(1_048_576...1_099_511_627_776), default: "25165824",
      help: "bytes the extension may use"),
    OptionDeclaration(
      "--memory-warning", value: .integer(1_048_576...1_099_511_627_776), default: "104857600",
      help: "footprint in bytes above which the app gets a memory warning"),
    OptionDeclaration(
      "--seed-protection", value: .choice(KeychainProtection.allCases.map(\.rawValue)),
      default: KeychainProtection.afterFirstUnlock.rawValue,
      help: "when the wallet can read its seed, which it keeps in the keychain"),
    OptionDeclaration(
      "--memory-mechanism", value: .choice(MemoryLimiter.Choice.allCases.map(\.rawValue)), default: "auto",
      help:
        "how --memory-limit is enforced; auto: by the kernel if a memory cgroup can be created, else by polling"
    ),
    OptionDeclaration(
      "--fault-ballast", value: .integer(1...1_073_741_824),
      help: "for the extension: at its first push it allocates this many bytes"),
    OptionDeclaration("--fault-hang", help: "for the extension: at its first push it hangs"),
    OptionDeclaration(
      "--fault-slow-launch", value: .span, help: "for the extension: it says `hello` so long after its start"),
    OptionDeclaration(
      "--fault-open-read", value: .choice(Role.allCases.map(\.rawValue)), mayRepeat: true,
      help: "the process begins to read the database and never finishes"),
    OptionDeclaration(
      "--url-scheme", value: .text("SCHEME"), mayRepeat: true,
      help: "a URL scheme that the app has registered: its links open the app"),
    OptionDeclaration(
      "--entitlements", value: .choice(["critical-alerts"]), mayRepeat: true,
      help: "an entitlement that Apple has granted to the wallet"),
  ] + SilentPushOptions.declarations,
  examples: [
    (
      "iosd --home /tmp/phone --peer \"$(cat /tmp/phone/lsp/address)\"",
      "a phone whose wallet connects to that peer"
    ),
    ("iosd --app ./my-app --ext ./my-extension", "your own app and extension; see docs/protocols.md"),
  ])

/// iosd's parsed command line.
struct PhoneOptions {
  var home: String
  var app: String
  var serviceExtension: String
  /// Which programs the phone starts, and with which arguments.
  var wallet: WalletProfile
  var peer: String?
  var isDebugBuild: Bool
  var configuration: PhoneConfiguration
  var memoryMechanism: MemoryLimiter.Choice
  /// Arguments for both children, besides the phone's paths.
  private var passedOn: [String]
  private static let connectionOptions = ["--chatter", "--ping-after"]
  private var seedProtection: String
  /// Arguments for the extension only: injected faults.
  private var faults: [String]
  /// The processes that leave a read of the database open.
  private var openReads: [String]
  /// Arguments for the app only: background behaviour.
  private var habits: [String]

  init(_ parsed: ParsedCommandLine) {
    home = Self.absolute(parsed.text("--home") ?? "./.baton")
    app = parsed.text("--app").map(Self.absolute) ?? Self.besideIOSd("mainappd")
    wallet = parsed.text("--wallet").flatMap { WalletProfile(named: $0) } ?? .phoenix
    serviceExtension =
      parsed.text("--ext").map(Self.absolute) ?? Self.besideIOSd(wallet.extension.program)
    peer = parsed.text("--peer")
    isDebugBuild = parsed.text("--build") == "debug"
    let standard = PhoneConfiguration()
    configuration = PhoneConfiguration(
      enforcesLimits: !isDebugBuild,
      extensionMemoryBytes: parsed.integer("--memory-limit").map { UInt64(clamping: $0) }
        ?? standard.extensionMemoryBytes,
      extensionTime: parsed.span("--extension-time") ?? standard.extensionTime,
      expiryNotice: parsed.span("--expiry-notice") ?? standard.expiryNotice,
      extensionIdleTime: parsed.span("--extension-idle") ?? standard.extensionIdleTime,
      terminationGrace: parsed.span("--grace") ?? standard.terminationGrace,
      callbackTime: parsed.span("--callback-time") ?? standard.callbackTime,
      suspendAfter: parsed.span("--suspend-after") ?? standard.suspendAfter,
      backgroundTime: parsed.span("--background-time") ?? standard.backgroundTime,
      taskExpiryGrace: parsed.span("--background-grace") ?? standard.taskExpiryGrace,
      foregroundPushes: parsed.choice("--foreground-pushes", as: ForegroundPushes.self)
        ?? standard.foregroundPushes)
    configuration.afterContent =
      parsed.choice("--after-content", as: AfterContent.self) ?? standard.afterContent
    configuration.extensionStartTime = parsed.span("--extension-start-time") ?? standard.extensionStartTime
    configuration.activityTime = parsed.span("--activity-time") ?? standard.activityTime
    configuration.sparesLockHolders = parsed.text("--suspended-with-lock") == "spare"
    configuration.reusesExtension = parsed.text("--extension-reuse") != "no"
    configuration.hasCriticalAlerts = parsed.all("--entitlements").contains("critical-alerts")
    configuration.memoryWarningBytes =
      parsed.integer("--memory-warning").map { UInt64(clamping: $0) } ?? standard.memoryWarningBytes
    configuration.silentPushes = SilentPushOptions.rules(parsed)
    configuration.tasks = BackgroundOptions.tasks(parsed)
    if let task = wallet.pollTask, !parsed.isGiven("--permitted-task") {
      configuration.tasks.permitted.append(task)
    }
    configuration.silentPushes.window = configuration.tasks.scaled(configuration.silentPushes.window)
    let schemes = parsed.all("--url-scheme").map { $0.lowercased() } + [wallet.urlScheme].compactMap { $0 }
    configuration.linkSchemes = schemes.isEmpty ? nil : schemes
    configuration.hasAudioMode = parsed.text("--background-mode") == "audio"
    seedProtection = parsed.text("--seed-protection") ?? KeychainProtection.afterFirstUnlock.rawValue
    habits = BackgroundOptions.passedToApp.filter { parsed.isGiven($0) }
    // The children would reject it too, but their error would not reach the user.
    do throws(HeartbeatTimingError) {
      _ = try HeartbeatTiming(
        interval: parsed.span("--beat-interval") ?? .seconds(2),
        staleAfter: parsed.span("--stale-after") ?? .seconds(5))
    } catch { exitWithSentence(.wrongUsage, error.description) }
    if let problem = PingRule.problem(parsed) { exitWithSentence(.wrongUsage, problem) }
    memoryMechanism = parsed.choice("--memory-mechanism", as: MemoryLimiter.Choice.self) ?? .auto
    faults = parsed.text("--fault-ballast").map { ["--fault-ballast", $0] } ?? []
    if parsed.isGiven("--fault-hang") { faults.append("--fault-hang") }
    if let time = parsed.text("--fault-slow-launch") { faults += ["--fault-slow-launch", time] }
    openReads = parsed.all("--fault-open-read")
    passedOn = peer.map { ["--peer", $0] } ?? []
    if let file = parsed.text("--peer-file").map(Self.absolute) { passedOn += ["--peer-file", file] }
    if parsed.isGiven("--tor") { passedOn.append("--tor") }
    for name in [
      "--takeover", "--beat-interval", "--stale-after", "--multi-part-window", "--keep-parts",
      "--start-delay",
    ] {
      if let value = parsed.text(name) { passedOn += [name, value] }
    }
    // Another implementation's programs need not know these.
    for name in Self.connectionOptions where parsed.isGiven(name) {
      passedOn += parsed.text(name).map { [name, $0] } ?? []
    }
    if let path = parsed.text("--entitlements-file") { takeEntitlements(of: path) }
  }

  private mutating func takeEntitlements(of path: String) {
    guard let bytes = SmallFile.read(path, limit: EntitlementsFile.sizeMax + 1) else {
      exitWithSentence(.badConfiguration, SystemError("read \(path)").description)
    }
    do throws(EntitlementsFileError) {
      let file = try EntitlementsFile(bytes, name: path)
      configuration.appEntitlements = file.entitlements(of: .app)
      configuration.extensionEntitlements = file.entitlements(of: .extension)
    } catch { exitWithSentence(.badConfiguration, error.description) }
  }

  func program(of role: Role) -> String { role == .app ? app : serviceExtension }

  func childArguments(_ home: PhoneHome, _ role: Role) -> [String] {
    let own =
      [
        "--container", home.container, "--keychain", home.keychain, "--journal", home.journal, "--clock",
        home.clock,
      ] + (wallet == .phoenix ? [] : ["--wallet", wallet.name])
    // It has no peer, no beats and no seed.
    if role == .extension && !wallet.extension.hasNode { return own + groupArguments(role) + faults }
    return own + groupArguments(role) + ["--seed-protection", seedProtection] + passedOn
      + (role == .extension ? faults : habits)
      + (openReads.contains(role.rawValue) ? ["--fault-open-read"] : [])
  }

  /// A program without any access group asks for the default one, and gets the refusal from there.
  private func groupArguments(_ role: Role) -> [String] {
    ["--keychain-group", configuration.entitlements(of: role).accessGroups.first ?? Entitlements.accessGroup]
  }

  private static func besideIOSd(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
  }

  /// Children have the same working directory, but a recorded path must be valid for a later reader.
  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return "\(String(cString: current))/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
  }
}

/// iosd's options for silent pushes.
enum SilentPushOptions {
  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--silent-budget", value: .integer(0...1000), default: "3",
      help: "silent pushes per hour that wake the app in the background"),
    OptionDeclaration(
      "--silent-low-power", value: .choice(SilentPushRules.LowPower.allCases.map(\.rawValue)),
      default: "drop", help: "what happens to a silent push in Low Power Mode"),
    OptionDeclaration(
      "--silent-drop", value: .integer(0...100), default: "0",
      help: "percentage of silent pushes that are lost"),
    OptionDeclaration(
      "--silent-delay", value: .span, default: "0", help: "the largest random delay of a silent push"),
    OptionDeclaration(
      "--silent-seed", value: .integer(0...Int64.max), default: "1",
      help: "seed of the random drops and delays"),
    OptionDeclaration(
      "--silent-time", value: .span, default: "30s", help: "time for the app to handle a silent push"),
  ]

  static func rules(_ parsed: ParsedCommandLine) -> SilentPushRules {
    SilentPushRules(
      budget: Int(clamping: parsed.integer("--silent-budget") ?? 3),
      completionTime: parsed.span("--silent-time") ?? .seconds(30),
      lowPower: parsed.choice("--silent-low-power", as: SilentPushRules.LowPower.self) ?? .drop,
      dropPercent: UInt64(clamping: parsed.integer("--silent-drop") ?? 0),
      delayMax: parsed.span("--silent-delay") ?? .zero,
      seed: UInt64(clamping: parsed.integer("--silent-seed") ?? 1))
  }
}

/// iosd's options for background work.
enum BackgroundOptions {
  static let passedToApp = ["--keep-alive-audio", "--clean-journals"]

  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--after-content", value: .choice(AfterContent.allCases.map(\.rawValue)),
      default: AfterContent.suspend.rawValue,
      help:
        "what happens to the extension when it has delivered its content: run (until it has finished the push), suspend or kill"
    ),
    OptionDeclaration(
      "--extension-reuse", value: .choice(["yes", "no"]), default: "yes",
      help: "whether the next push resumes a suspended extension, or starts another process"),
    OptionDeclaration(
      "--extension-start-time", value: .span, default: "10s",
      help: "how long the extension may take from its launch to hello"),
    OptionDeclaration(
      "--activity-time", value: .span, default: "10s",
      help: "how long an expiring activity keeps a process from being suspended"),
    OptionDeclaration(
      "--suspended-with-lock", value: .choice(["kill", "spare"]), default: "kill",
      help: "what happens to a process that is suspended with a lock in the container"),
    OptionDeclaration(
      "--permitted-task", value: .text("ID"), mayRepeat: true,
      help:
        "a task identifier that the app may submit (default \(standard.permitted.joined(separator: " and ")))"
    ),
    OptionDeclaration(
      "--time-scale", value: .integer(1...1_000_000), default: "1",
      help:
        "divides the times until background work may start, never its time limits: 60 turns hours into minutes"
    ),
    OptionDeclaration(
      "--refresh-time", value: .span, default: "30s", help: "time limit of an app refresh task"),
    OptionDeclaration(
      "--processing-time", value: .span, default: "180s", help: "time limit of a processing task"),
    OptionDeclaration(
      "--task-grace", value: .span, default: "1s",
      help: "how long after its expiration a scheduled task may still complete"),
    OptionDeclaration(
      "--sufficient-battery", value: .integer(0...100), default: "20",
      help: "at or below this percentage no scheduled task runs on battery"),
    OptionDeclaration(
      "--task-deferral", value: .integer(0...100), default: "20",
      help: "percentage of processing tasks that the scheduler defers once"),
    OptionDeclaration(
      "--task-seed", value: .integer(0...Int64.max), default: "1",
      help: "seed of the scheduler's random decisions"),
    OptionDeclaration(
      "--background-mode", value: .choice(["audio"]), help: "a background mode that the app declares"),
    OptionDeclaration(
      "--keep-alive-audio", help: "for the app: in the background it plays inaudible audio to stay awake"),
    OptionDeclaration(
      "--clean-journals", help: "for the app: a processing task removes journals older than a week"),
    OptionDeclaration(
      "--entitlements-file", value: .path("FILE"),
      help: "JSON with the access groups and app groups of app and extension (default: the wallet's for both)"
    ),
  ]

  private static let standard = TaskConfiguration()

  static func tasks(_ parsed: ParsedCommandLine) -> TaskConfiguration {
    TaskConfiguration(
      permitted: parsed.isGiven("--permitted-task") ? parsed.all("--permitted-task") : standard.permitted,
      refreshTime: parsed.span("--refresh-time") ?? standard.refreshTime,
      processingTime: parsed.span("--processing-time") ?? standard.processingTime,
      completionGrace: parsed.span("--task-grace") ?? standard.completionGrace,
      sufficientBatteryPercent: parsed.integer("--sufficient-battery").map { Int($0) }
        ?? standard.sufficientBatteryPercent,
      deferralPercent: parsed.integer("--task-deferral").map { Int($0) } ?? standard.deferralPercent,
      timeScale: parsed.integer("--time-scale") ?? standard.timeScale,
      seed: parsed.integer("--task-seed").map { UInt64(clamping: $0) } ?? standard.seed)
  }
}
