import Ground

/// The limits of one phone. The defaults are the ones people know from the real thing.
public struct PhoneConfiguration: Hashable, Codable, Sendable {
  /// A debugger on the real thing lifts the limits of time and memory; this is its switch.
  public var enforcesLimits: Bool
  /// 24 MB for the extension's anonymous memory and swap.
  public var extensionMemoryBytes: UInt64
  /// Per push, from handing it over.
  public var extensionTime: TimeSpan
  /// How long before the end of that time the extension is warned.
  public var expiryNotice: TimeSpan
  /// How long an extension without work is kept.
  public var extensionIdleTime: TimeSpan
  /// From asking a process to end to making it end.
  public var terminationGrace: TimeSpan
  /// How long the app may take to answer who asks it.
  public var answerPatience: TimeSpan
  /// Whether an app in the background is suspended, and ended if it does not go along; off with the other limits. A
  /// debugger on the real thing keeps it from that.
  public var limitsBackground: Bool
  /// How long the app has to deal with being sent to the background.
  public var callbackTime: TimeSpan
  /// How long it is in the background before it can be suspended.
  public var suspendAfter: TimeSpan
  /// How long tasks of its own keep it awake in the background.
  public var backgroundTime: TimeSpan
  /// From telling it that this time ends to killing it.
  public var taskExpiryGrace: TimeSpan
  /// Who gets a visible push while the app is in front.
  public var foregroundPushes: ForegroundPushes
  /// The wallet has the entitlement for critical alerts.
  public var hasCriticalAlerts = false
  public var silentPushes = SilentPushRules()
  /// The phone as it was switched when it was started.
  public var device = DeviceState()
  public var tasks = TaskConfiguration()
  /// What the app had registered when the phone was last on.
  public var categories: [NotificationCategory] = []
  /// The app has declared that it plays audio in the background.
  public var hasAudioMode = false
  /// The app is warned when its footprint passes this.
  public var memoryWarningBytes: UInt64 = 104_857_600
  public var appEntitlements = Entitlements()
  public var extensionEntitlements = Entitlements()

  public init(
    enforcesLimits: Bool = true, extensionMemoryBytes: UInt64 = 25_165_824,
    extensionTime: TimeSpan = .seconds(30), expiryNotice: TimeSpan = .milliseconds(500),
    extensionIdleTime: TimeSpan = .seconds(60), terminationGrace: TimeSpan = .seconds(5),
    answerPatience: TimeSpan = .seconds(10), limitsBackground: Bool = true,
    callbackTime: TimeSpan = .seconds(5),
    suspendAfter: TimeSpan = .seconds(5), backgroundTime: TimeSpan = .seconds(180),
    taskExpiryGrace: TimeSpan = .seconds(5),
    foregroundPushes: ForegroundPushes = .app
  ) {
    self.enforcesLimits = enforcesLimits
    self.extensionMemoryBytes = extensionMemoryBytes
    self.extensionTime = extensionTime
    self.expiryNotice = expiryNotice
    self.extensionIdleTime = extensionIdleTime
    self.terminationGrace = terminationGrace
    self.answerPatience = answerPatience
    self.limitsBackground = limitsBackground && enforcesLimits
    self.callbackTime = callbackTime
    self.suspendAfter = suspendAfter
    self.backgroundTime = backgroundTime
    self.taskExpiryGrace = taskExpiryGrace
    self.foregroundPushes = foregroundPushes
  }

}
