import Ground

/// The scheduler's parameters. Undocumented behaviour of iOS is a parameter here.
public struct TaskConfiguration: Hashable, Codable, Sendable {
  /// The identifiers that the app has declared; a request with another one is refused.
  public var permitted: [String]
  /// From one refresh to the next, on the average.
  public var refreshInterval: TimeSpan
  /// The random variation of the interval, both ways.
  public var variationPercent: Int
  public var refreshTime: TimeSpan
  public var processingTime: TimeSpan
  /// From telling a task to expire to releasing its assertion.
  public var completionGrace: TimeSpan
  /// At or below this no task runs on battery.
  public var sufficientBatteryPercent: Int
  /// Percentage of processing tasks that are deferred once.
  public var deferralPercent: Int
  /// The longest deferral.
  public var deferral: TimeSpan
  /// Divides the scheduler's spans. The time limit of a run is not scaled, as its work takes real time.
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

  /// Scales a span of the scheduler or of another background budget.
  public func scaled(_ span: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: span.nanoseconds / max(1, timeScale))
  }

  func time(for kind: TaskKind) -> TimeSpan { kind == .refresh ? refreshTime : processingTime }

  /// The limits of iOS.
  static func pendingMax(_ kind: TaskKind) -> Int { kind == .refresh ? 1 : 10 }
}
