import Ground

/// The limits of one phone. The defaults are those observed on iOS.
public struct PhoneConfiguration: Hashable, Codable, Sendable {
  /// False lifts the limits of time and memory, as a debugger does on iOS.
  public var enforcesLimits: Bool = true
  /// 24 MB for the extension's anonymous memory and swap.
  public var extensionMemoryBytes: UInt64 = 25_165_824
  /// Per push, from its delivery to the extension.
  public var extensionTime: TimeSpan = .seconds(30)
  /// How long before the end of `extensionTime` the extension is warned.
  public var expiryNotice: TimeSpan = .milliseconds(500)
  /// How long an idle extension keeps running.
  public var extensionIdleTime: TimeSpan = .seconds(60)
  /// From asking a process to terminate to killing it.
  public var terminationGrace: TimeSpan = .seconds(5)
  /// How long the app may take to answer a request.
  public var answerPatience: TimeSpan = .seconds(10)
  /// Whether an app in the background is suspended, or killed if it does not comply. Off with the other limits, as
  /// with a debugger on iOS.
  public var limitsBackground: Bool = true
  var limitsBackgroundNow: Bool { enforcesLimits && limitsBackground }
  /// How long the app may take to confirm `enter-background`.
  public var callbackTime: TimeSpan = .seconds(5)
  /// How long the app is in the background before it can be suspended.
  public var suspendAfter: TimeSpan = .seconds(5)
  /// How long the app's own tasks keep it awake in the background.
  public var backgroundTime: TimeSpan = .seconds(180)
  /// From telling the app that `backgroundTime` is over to killing it.
  public var taskExpiryGrace: TimeSpan = .seconds(5)
  /// What happens to the extension's process when it has delivered its content. Without limits it runs on, as with a
  /// debugger on iOS.
  public var afterContent: AfterContent = .suspend
  var afterContentNow: AfterContent { limitsBackgroundNow ? afterContent : .run }
  /// Whether the next push resumes the suspended extension; if not, the next push starts another process.
  public var reusesExtension = true
  /// How long the extension's process may take from its launch to `hello`.
  public var extensionStartTime = TimeSpan.seconds(10)
  /// How long an expiring activity keeps a process from being suspended.
  public var activityTime = TimeSpan.seconds(10)
  /// A process that is suspended with a lock in the container stays suspended: iOS does not always kill it.
  public var sparesLockHolders = false
  /// Which process gets a visible push while the app is in the foreground.
  public var foregroundPushes: ForegroundPushes = .app
  /// The wallet has the entitlement for critical alerts.
  public var hasCriticalAlerts = false
  public var silentPushes = SilentPushRules()
  /// The device's switches at the start.
  public var device = DeviceState()
  public var tasks = TaskConfiguration()
  /// The categories that the app had registered when the phone was last on.
  public var categories: [NotificationCategory] = []
  /// The app declares the background mode `audio`.
  public var hasAudioMode = false
  /// The URL schemes that the app has registered, as it does when it is installed.
  public var linkSchemes: [String]?
  /// The app is warned when its footprint passes this.
  public var memoryWarningBytes: UInt64 = 104_857_600
  public var appEntitlements = Entitlements()
  public var extensionEntitlements = Entitlements()

  public init() {}
}

// What the settings of the phone do, for iosd and for a simulated phone.
extension PhoneConfiguration {
  /// From a command line with iosd's options.
  public init(_ line: some TypedOptions) {
    self.init()
    enforcesLimits = line.text("--build") != "debug"
    extensionMemoryBytes = UInt64(clamping: line.number("--memory-limit"))
    extensionTime = line.time("--extension-time")
    expiryNotice = line.time("--expiry-notice")
    extensionIdleTime = line.time("--extension-idle")
    terminationGrace = line.time("--grace")
    callbackTime = line.time("--callback-time")
    suspendAfter = line.time("--suspend-after")
    backgroundTime = line.time("--background-time")
    taskExpiryGrace = line.time("--background-grace")
    foregroundPushes = line.word("--foreground-pushes", as: ForegroundPushes.self)
    afterContent = line.word("--after-content", as: AfterContent.self)
    extensionStartTime = line.time("--extension-start-time")
    activityTime = line.time("--activity-time")
    sparesLockHolders = line.text("--suspended-with-lock") == "spare"
    reusesExtension = line.text("--extension-reuse") != "no"
    hasCriticalAlerts = line.all("--entitlements").contains("critical-alerts")
    memoryWarningBytes = UInt64(clamping: line.number("--memory-warning"))
    silentPushes = SilentPushRules(line)
    tasks = TaskConfiguration(line)
    silentPushes.window = tasks.scaled(silentPushes.window)
    hasAudioMode = line.text("--background-mode") == "audio"
  }
}

extension SilentPushRules {
  fileprivate init(_ line: some TypedOptions) {
    self.init()
    budget = Int(clamping: line.number("--silent-budget"))
    completionTime = line.time("--silent-time")
    lowPower = line.word("--silent-low-power", as: LowPower.self)
    dropPercent = UInt64(clamping: line.number("--silent-drop"))
    delayMax = line.time("--silent-delay")
    seed = UInt64(clamping: line.number("--silent-seed"))
  }
}

extension TaskConfiguration {
  fileprivate init(_ line: some TypedOptions) {
    self.init()
    if line.isGiven("--permitted-task") { permitted = line.all("--permitted-task") }
    refreshTime = line.time("--refresh-time")
    processingTime = line.time("--processing-time")
    completionGrace = line.time("--task-grace")
    sufficientBatteryPercent = Int(line.number("--sufficient-battery"))
    deferralPercent = Int(line.number("--task-deferral"))
    timeScale = line.number("--time-scale")
    seed = UInt64(clamping: line.number("--task-seed"))
  }
}
