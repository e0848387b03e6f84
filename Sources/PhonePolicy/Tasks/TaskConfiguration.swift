import Ground

/// The scheduler's figures. What is only a habit of the real thing is a figure here that can be changed.
public struct TaskConfiguration: Hashable, Codable, Sendable {
  /// The identifiers that the app has declared: no other is ever taken.
  public var permitted: [String]
  /// From one refresh to the next, on the average.
  public var refreshInterval: Span
  /// By how much that is drawn longer or shorter.
  public var variationPercent: Int
  public var refreshTime: Span
  public var processingTime: Span
  /// From the word that the time is over to the end of the assertion.
  public var completionGrace: Span
  /// Below it nothing runs on battery.
  public var sufficientBatteryPercent: Int
  /// How often a processing task that could run is put off once.
  public var deferralPercent: Int
  /// By how much at the most.
  public var deferral: Span
  /// What an hour of the scheduler is divided by. A run itself is real work and has its real time.
  public var timeScale: Int64
  public var seed: UInt64

  public init(
    permitted: [String] = ["com.example.lightning.sync", "com.example.lightning.processing"],
    refreshInterval: Span = .seconds(900), variationPercent: Int = 30, refreshTime: Span = .seconds(30),
    processingTime: Span = .seconds(180), completionGrace: Span = .seconds(1),
    sufficientBatteryPercent: Int = 20, deferralPercent: Int = 20, deferral: Span = .seconds(1800),
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
  public func scaled(_ span: Span) -> Span { Span(nanoseconds: span.nanoseconds / max(1, timeScale)) }

  func time(for kind: TaskKind) -> Span { kind == .refresh ? refreshTime : processingTime }

  /// As many as the real thing keeps.
  static func pendingMax(_ kind: TaskKind) -> Int { kind == .refresh ? 1 : 10 }
}
