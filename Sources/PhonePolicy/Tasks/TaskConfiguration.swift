import Ground

/// The scheduler's figures. What is only a habit of the real thing is a figure here that can be changed.
public struct TaskConfiguration: Hashable, Codable, Sendable {
  /// The identifiers that the app has declared: no other is ever taken.
  public var permitted: [String]
  /// From one refresh to the next, on the average.
  public var refreshInterval: TimeSpan
  /// By how much that is drawn longer or shorter.
  public var variationPercent: Int
  public var refreshTime: TimeSpan
  public var processingTime: TimeSpan
  /// From the word that the time is over to the end of the assertion.
  public var completionGrace: TimeSpan
  /// Below it nothing runs on battery.
  public var sufficientBatteryPercent: Int
  /// How often a processing task that could run is put off once.
  public var deferralPercent: Int
  /// By how much at the most.
  public var deferral: TimeSpan
  /// What an hour of the scheduler is divided by. A run itself is real work and has its real time.
  public var timeScale: Int64
  public var seed: UInt64

  public init(
    permitted: [String] = ["com.example.lightning.sync", "com.example.lightning.processing"],
    refreshInterval: TimeSpan = .seconds(900), variationPercent: Int = 30,
    refreshTime: TimeSpan = .seconds(30),
    processingTime: TimeSpan = .seconds(180), completionGrace: TimeSpan = .seconds(1),
    sufficientBatteryPercent: Int = 20, deferralPercent: Int = 20, deferral: TimeSpan = .seconds(1800),
    timeScale: Int64 = 1, seed: UInt64 = 1
  ) {
    self.permitted = permitted
    self.refreshInterval = refreshInterval
    self.variationPercent = variationPercent
    self.refreshTime = refreshTime
    self.processingTime = processingTime
    self.completionGrace = completionGrace
    self.sufficientBatteryPercent = sufficientBatteryPercent
    self.deferralPercent = deferralPercent
    self.deferral = deferral
    self.timeScale = timeScale
    self.seed = seed
  }

  /// A span of the scheduler, or of another budget of background work.
  public func scaled(_ span: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: span.nanoseconds / max(1, timeScale))
  }

  func time(for kind: TaskKind) -> TimeSpan { kind == .refresh ? refreshTime : processingTime }

  /// As many as the real thing keeps.
  static func pendingMax(_ kind: TaskKind) -> Int { kind == .refresh ? 1 : 10 }
}
