import Ground

/// The pending and running tasks, and what the scheduler knows of the user's habits.
public struct BackgroundTasks: Hashable, Sendable {
  public struct Pending: Hashable, Codable, Sendable {
    public fileprivate(set) var number: UInt64
    public fileprivate(set) var request: TaskRequest
    public fileprivate(set) var dueAt: Instant
    public fileprivate(set) var hindrance: TaskHindrance
    /// The earliest begin is reached; only conditions are missing.
    public fileprivate(set) var isDue = false
    fileprivate var wasDeferred = false
  }

  public struct Running: Hashable, Codable, Sendable {
    public fileprivate(set) var number: UInt64
    public fileprivate(set) var request: TaskRequest
    public fileprivate(set) var since: Instant
    /// Nil in a debug build, which has no limits.
    public fileprivate(set) var expiresAt: Instant?
    /// A task started by hand ignores the device's conditions.
    fileprivate var heedsConditions = true
    /// Set when the task was told to end.
    public fileprivate(set) var expiry: Refusal?
    public fileprivate(set) var releaseAt: Instant?

    var deadline: Instant? { releaseAt ?? expiresAt }
  }

  /// The app is not started for a task if the user has never opened it or has swiped it away.
  public enum Use: Hashable, Codable, Sendable {
    case neverOpened
    case opened
    case swipedAway
  }

  public private(set) var pending: [Pending] = []
  public private(set) var running: [Running] = []
  public private(set) var use = Use.neverOpened
  /// The next refresh begins no earlier, whatever the request says.
  private var nextRefresh: Instant?
  private(set) var lastNumber: UInt64 = 0
  private var chance: Chance

  init(seed: UInt64) { chance = Chance(seed: seed) }

  var isEmpty: Bool { pending.isEmpty && running.isEmpty }

  var deadline: Instant? {
    (pending.map { $0.isDue ? nil : $0.dueAt } + running.map(\.deadline)).compactMap(\.self).min()
  }

  mutating func noteUse(_ app: AppState, _ event: PhoneEvent) {
    if app == .foreground { use = .opened }
    if event == .userQuit, use == .opened { use = .swipedAway }
  }

  mutating func forgetUse() { use = .neverOpened }

  // MARK: Requests

  mutating func submit(
    _ request: TaskRequest, _ conditions: TaskConditions, at now: Instant
  ) -> [PhoneDirective] {
    lastNumber &+= 1
    let number = lastNumber
    if let refusal = refusal(of: request, conditions) {
      return [
        .recordTask(number, request, .refused(refusal)),
        .tell(.app, .task(.refused(identifier: request.identifier, refusal))),
      ]
    }
    let replaced = withdraw(request.identifier, .replaced)
    pending.append(
      Pending(
        number: number, request: request, dueAt: due(request, conditions.rules, at: now), hindrance: .tooEarly
      ))
    return replaced + [
      .recordTask(number, request, .waits(.tooEarly)),
      .tell(.app, .task(.accepted(identifier: request.identifier))),
    ]
  }

  private func refusal(of request: TaskRequest, _ conditions: TaskConditions) -> Refusal? {
    guard conditions.rules.permitted.contains(request.identifier) else {
      return .notPermitted(permitted: conditions.rules.permitted)
    }
    if request.earliest < .zero { return .badTime }
    if !conditions.device.allowsBackgroundRefresh { return .refreshOff }
    let others = pending.filter {
      $0.request.kind == request.kind && $0.request.identifier != request.identifier
    }
    return others.count < TaskConfiguration.pendingMax(request.kind) ? nil : .tooMany(request.kind)
  }

  /// Not before the request's earliest begin; a refresh also not before `nextRefresh`.
  private mutating func due(_ request: TaskRequest, _ rules: TaskConfiguration, at now: Instant) -> Instant {
    let asked = now + rules.scaled(request.earliest)
    guard request.kind == .refresh else { return asked }
    if nextRefresh == nil { drawNextRefresh(rules, at: now) }
    return max(asked, nextRefresh ?? asked)
  }

  private mutating func drawNextRefresh(_ rules: TaskConfiguration, at now: Instant) {
    let interval = rules.scaled(rules.refreshInterval).nanoseconds
    let variation = interval / 100 * Int64(rules.variationPercent)
    let drawn = chance.span(upTo: TimeSpan(nanoseconds: 2 * variation))
    nextRefresh = now + TimeSpan(nanoseconds: interval - variation) + drawn
  }

  mutating func withdraw(_ identifier: String, _ fate: TaskRecord.Fate) -> [PhoneDirective] {
    guard let index = pending.firstIndex(where: { $0.request.identifier == identifier }) else { return [] }
    let gone = pending.remove(at: index)
    return [.recordTask(gone.number, gone.request, fate)]
  }

  // MARK: Pending tasks

  /// Also called during a reboot: the deadline must not stay in the past.
  mutating func noteDue(at now: Instant) {
    for index in pending.indices where pending[index].dueAt <= now { pending[index].isDue = true }
  }

  var byDueTime: [UInt64] { pending.sorted { $0.dueAt < $1.dueAt }.map(\.number) }

  /// Nil if the task may run. Otherwise the record of its hindrance, if that is new.
  mutating func hold(_ number: UInt64, _ conditions: TaskConditions, at now: Instant) -> [PhoneDirective]? {
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return [] }
    guard
      let hindrance = hindrance(of: pending[index], conditions) ?? deferral(of: index, conditions, at: now)
    else { return nil }
    guard pending[index].hindrance != hindrance else { return [] }
    pending[index].hindrance = hindrance
    return [.recordTask(number, pending[index].request, .waits(hindrance))]
  }

  private func hindrance(of pending: Pending, _ conditions: TaskConditions) -> TaskHindrance? {
    guard pending.isDue else { return pending.wasDeferred ? .deferred : .tooEarly }
    switch use {
    case .neverOpened: return .neverOpened
    case .swipedAway: return .swipedAway
    case .opened: break
    }
    if !conditions.device.allowsBackgroundRefresh { return .refreshOff }
    if conditions.device.isInLowPowerMode { return .lowPower }
    if running.contains(where: { pending.request.collides(with: $0.request) }) { return .anotherRuns }
    switch conditions.app {
    case .foreground, .launching(intoForeground: true): return .appInFront
    case .terminating: return .appEnding
    case .notRunning, .background, .suspended, .launching(intoForeground: false): break
    }
    // A locked phone is not in use.
    if pending.request.kind == .processing && !conditions.device.isLocked { return .inUse }
    if pending.request.requiresExternalPower && !conditions.device.isCharging { return .noCharger }
    if !conditions.device.isCharging
      && conditions.device.batteryPercent <= conditions.rules.sufficientBatteryPercent
    {
      return .batteryLow(percent: conditions.device.batteryPercent)
    }
    return pending.request.requiresNetwork && !conditions.device.hasNetwork ? .noNetwork : nil
  }

  /// A processing task that could run is sometimes deferred, once.
  private mutating func deferral(
    of index: Int, _ conditions: TaskConditions, at now: Instant
  ) -> TaskHindrance? {
    guard pending[index].request.kind == .processing, !pending[index].wasDeferred else { return nil }
    let rules = conditions.rules
    pending[index].wasDeferred = true
    guard chance.number(upTo: 99) < UInt64(clamping: rules.deferralPercent) else { return nil }
    pending[index].dueAt = now + chance.span(upTo: rules.scaled(rules.deferral)) + TimeSpan(nanoseconds: 1)
    pending[index].isDue = false
    return .deferred
  }

  /// The app is not woken for pending tasks any more.
  mutating func loseWaiting() -> [PhoneDirective] {
    defer { pending = [] }
    return pending.map { .recordTask($0.number, $0.request, .lost) }
  }

  // MARK: Running tasks

  mutating func begin(
    _ number: UInt64, isByHand: Bool, _ conditions: TaskConditions, at now: Instant
  ) -> [PhoneDirective] {
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return [] }
    let request = pending.remove(at: index).request
    let expiresAt = conditions.enforcesLimits ? now + conditions.rules.time(for: request.kind) : nil
    running.append(
      Running(number: number, request: request, since: now, expiresAt: expiresAt, heedsConditions: !isByHand))
    if request.kind == .refresh { drawNextRefresh(conditions.rules, at: now) }
    return [.recordTask(number, request, .runs(isByHand: isByHand))]
  }

  /// Once per run: a late completion of an older run must not end a newer one with the same identifier.
  mutating func complete(
    _ identifier: String, _ run: UInt64, _ isSuccess: Bool, _ assertions: inout Assertions
  ) -> [PhoneDirective] {
    guard let index = running.firstIndex(where: { $0.request.identifier == identifier && $0.number == run })
    else { return [.refuseTaskCompletion(identifier: identifier, run: run)] }
    let done = running.remove(at: index)
    assertions.release(.scheduledTask(identifier))
    return [.recordTask(run, done.request, .completed(isSuccess: isSuccess))]
  }

  mutating func expire(
    _ identifier: String, _ expiry: Refusal, _ rules: TaskConfiguration, at now: Instant
  ) -> [PhoneDirective] {
    guard let index = running.firstIndex(where: { $0.request.identifier == identifier }),
      running[index].expiry == nil
    else { return [] }
    running[index].expiry = expiry
    running[index].releaseAt = now + rules.completionGrace
    let run = running[index]
    return [
      .tell(.app, .task(.willExpire(identifier: identifier, run: run.number))),
      .recordTask(run.number, run.request, .expires(expiry)),
    ]
  }

  /// Ends lost and overdue runs, and tells others to expire.
  mutating func end(
    _ conditions: TaskConditions, _ assertions: inout Assertions, at now: Instant
  ) -> [PhoneDirective] {
    var directives = lose(assertions)
    for run in running {
      if let expiry = run.expiry {
        guard let releaseAt = run.releaseAt, releaseAt <= now else { continue }
        running.removeAll { $0.number == run.number }
        assertions.release(.scheduledTask(run.request.identifier))
        directives.append(
          .recordTask(run.number, run.request, .expired(expiry)))
      } else if let expiry = reasonToExpire(run, conditions, at: now) {
        directives += expire(run.request.identifier, expiry, conditions.rules, at: now)
      }
    }
    return directives
  }

  /// Ending releases the app's assertions, so a run without its assertion is lost. The app's state does not tell:
  /// it may be launching again.
  private mutating func lose(_ assertions: Assertions) -> [PhoneDirective] {
    let lost = running.filter { !assertions.contains(.scheduledTask($0.request.identifier)) }
    running.removeAll { run in lost.contains { $0.number == run.number } }
    return lost.map { .recordTask($0.number, $0.request, .lost) }
  }

  private func reasonToExpire(_ run: Running, _ conditions: TaskConditions, at now: Instant) -> Refusal? {
    if let expiresAt = run.expiresAt, expiresAt <= now { return .timeUp }
    guard run.request.kind == .processing, run.heedsConditions else { return nil }
    if !conditions.device.isLocked { return .phoneInUse }
    return run.request.requiresExternalPower && !conditions.device.isCharging ? .chargerGone : nil
  }
}

extension PhoneDirective {
  fileprivate static func recordTask(
    _ number: UInt64, _ request: TaskRequest, _ fate: TaskRecord.Fate
  ) -> PhoneDirective {
    .recordTask(TaskRecord(number: number, request: request, fate: fate))
  }
}

extension BackgroundTasks: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    nextRefresh.shift(by: span)
    for index in pending.indices { pending[index].dueAt.shift(by: span) }
    for index in running.indices {
      running[index].since.shift(by: span)
      running[index].expiresAt.shift(by: span)
      running[index].releaseAt.shift(by: span)
    }
  }
}

extension Chance {
  /// From zero to the bound, inclusive.
  mutating func span(upTo bound: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(clamping: number(upTo: UInt64(clamping: bound.nanoseconds))))
  }
}

/// The phone's state that decides whether a task may run.
struct TaskConditions {
  var app: AppState
  var device: DeviceState
  var rules: TaskConfiguration
  var enforcesLimits: Bool
}

/// A request to be started later for background work (`BGTaskRequest`).
public struct TaskRequest: Hashable, Codable, Sendable {
  public var identifier: String
  public var kind: TaskKind
  /// The earliest begin, from the submission on.
  public var earliest: TimeSpan
  /// This and `requiresExternalPower` are for processing tasks only: a refresh has no conditions.
  public var requiresNetwork: Bool
  public var requiresExternalPower: Bool

  public init(
    identifier: String, kind: TaskKind, earliest: TimeSpan = .zero, requiresNetwork: Bool = false,
    requiresExternalPower: Bool = true
  ) {
    self.identifier = identifier
    self.kind = kind
    self.earliest = earliest
    self.requiresNetwork = kind == .processing && requiresNetwork
    self.requiresExternalPower = kind == .processing && requiresExternalPower
  }

  /// The two tasks cannot run at the same time.
  func collides(with other: TaskRequest) -> Bool { kind == other.kind || identifier == other.identifier }
}

/// Why a pending task does not run yet.
public struct TaskHindrance: Hashable, Codable, Sendable, CustomStringConvertible {
  public let description: String

  package static let tooEarly = TaskHindrance(description: "the task's earliest begin is not reached")
  /// By the scheduler, although all conditions were met.
  package static let deferred = TaskHindrance(description: "the scheduler has deferred the task")
  package static let neverOpened = TaskHindrance(
    description: "the app has not been opened since the phone was started")
  package static let swipedAway = TaskHindrance(
    description: "the user swiped the app away and has not opened it since")
  package static let refreshOff = TaskHindrance(description: "background app refresh is off")
  package static let lowPower = TaskHindrance(description: "low power mode is on")
  package static let appInFront = TaskHindrance(description: "the app is in front")
  package static let appEnding = TaskHindrance(description: "the app is terminating")
  package static let anotherRuns = TaskHindrance(description: "another task of its kind is running")
  package static let inUse = TaskHindrance(
    description: "the phone is in use; the task waits until the screen is locked")
  package static let noCharger = TaskHindrance(description: "the task needs the charger")
  package static func batteryLow(percent: Int) -> TaskHindrance {
    TaskHindrance(description: "the battery is at \(percent) %")
  }
  package static let noNetwork = TaskHindrance(description: "the task needs the network")
}

/// The scheduler's parameters. Undocumented behaviour of iOS is a parameter here.
public struct TaskConfiguration: Hashable, Codable, Sendable {
  /// The identifiers that the app has declared; a request with another one is refused.
  public var permitted: [String] = ["com.example.lightning.sync", "com.example.lightning.processing"]
  /// From one refresh to the next, on the average.
  public var refreshInterval: TimeSpan = .seconds(900)
  /// The random variation of the interval, both ways.
  public var variationPercent: Int = 30
  public var refreshTime: TimeSpan = .seconds(30)
  public var processingTime: TimeSpan = .seconds(180)
  /// From telling a task to expire to releasing its assertion.
  public var completionGrace: TimeSpan = .seconds(1)
  /// At or below this no task runs on battery.
  public var sufficientBatteryPercent: Int = 20
  /// Percentage of processing tasks that are deferred once.
  public var deferralPercent: Int = 20
  /// The longest deferral.
  public var deferral: TimeSpan = .seconds(1800)
  /// Divides the scheduler's spans. The time limit of a run is not scaled, as its work takes real time.
  public var timeScale: Int64 = 1
  public var seed: UInt64 = 1

  public init() {}

  /// Scales a span of the scheduler or of another background budget.
  public func scaled(_ span: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: span.nanoseconds / max(1, timeScale))
  }

  func time(for kind: TaskKind) -> TimeSpan { kind == .refresh ? refreshTime : processingTime }

  /// The limits of iOS.
  static func pendingMax(_ kind: TaskKind) -> Int { kind == .refresh ? 1 : 10 }
}

/// The two kinds of background task.
public enum TaskKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// App refresh: 30 s, at most every 15 minutes.
  case refresh
  /// Processing: minutes of work while the phone is not in use.
  case processing
}
