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
    public fileprivate(set) var expiry: TaskExpiry?
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
    var earliest: Instant?
    for candidate in pending.map({ $0.isDue ? nil : $0.dueAt }) + running.map(\.deadline) {
      guard let candidate else { continue }
      earliest = min(earliest ?? candidate, candidate)
    }
    return earliest
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
    let record = { TaskRecord(number: number, request: request, fate: $0) }
    if let refusal = refusal(of: request, conditions) {
      return [
        .recordTask(record(.refused(refusal))),
        .tell(.app, .task(.refused(identifier: request.identifier, refusal))),
      ]
    }
    let replaced = withdraw(request.identifier, .replaced)
    pending.append(
      Pending(
        number: number, request: request, dueAt: due(request, conditions.rules, at: now), hindrance: .tooEarly
      ))
    return replaced + [
      .recordTask(record(.waits(.tooEarly))), .tell(.app, .task(.accepted(identifier: request.identifier))),
    ]
  }

  private func refusal(of request: TaskRequest, _ conditions: TaskConditions) -> TaskRefusal? {
    guard conditions.rules.permitted.contains(request.identifier) else {
      return .notPermitted(permitted: conditions.rules.permitted)
    }
    if request.earliest < .zero { return .badTime }
    if !conditions.isRefreshAllowed { return .refreshOff }
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
    return [.recordTask(TaskRecord(number: gone.number, request: gone.request, fate: fate))]
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
    return [
      .recordTask(TaskRecord(number: number, request: pending[index].request, fate: .waits(hindrance)))
    ]
  }

  private func hindrance(of pending: Pending, _ conditions: TaskConditions) -> TaskHindrance? {
    guard pending.isDue else { return pending.wasDeferred ? .deferred : .tooEarly }
    switch use {
    case .neverOpened: return .neverOpened
    case .swipedAway: return .swipedAway
    case .opened: break
    }
    if !conditions.isRefreshAllowed { return .refreshOff }
    if conditions.isLowPower { return .lowPower }
    if running.contains(where: { pending.request.collides(with: $0.request) }) { return .anotherRuns }
    switch conditions.app {
    case .foreground, .launching(intoForeground: true): return .appInFront
    case .terminating: return .appEnding
    case .notRunning, .background, .suspended, .launching(intoForeground: false): break
    }
    if pending.request.kind == .processing && !conditions.isIdle { return .inUse }
    if pending.request.requiresExternalPower && !conditions.isCharging { return .noCharger }
    if !conditions.isCharging && conditions.batteryPercent <= conditions.rules.sufficientBatteryPercent {
      return .batteryLow(percent: conditions.batteryPercent)
    }
    return pending.request.requiresNetwork && !conditions.hasNetwork ? .noNetwork : nil
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
    return pending.map { .recordTask(TaskRecord(number: $0.number, request: $0.request, fate: .lost)) }
  }

  // MARK: Running tasks

  mutating func begin(
    _ number: UInt64, isByHand: Bool, _ conditions: TaskConditions, at now: Instant
  ) -> [PhoneDirective] {
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return [] }
    let request = pending.remove(at: index).request
    let expiresAt = conditions.enforcesLimits ? now + conditions.rules.time(for: request.kind) : nil
    running.append(
      Running(
        number: number, request: request, since: now, expiresAt: expiresAt, heedsConditions: !isByHand))
    if request.kind == .refresh { drawNextRefresh(conditions.rules, at: now) }
    return [.recordTask(TaskRecord(number: number, request: request, fate: .runs(isByHand: isByHand)))]
  }

  /// Once per run: a late completion of an older run must not end a newer one with the same identifier.
  mutating func complete(
    _ identifier: String, _ run: UInt64, _ isSuccess: Bool, _ assertions: inout Assertions
  ) -> [PhoneDirective] {
    guard
      let index = running.firstIndex(where: { $0.request.identifier == identifier && $0.number == run })
    else { return [.refuseTaskCompletion(identifier: identifier, run: run)] }
    let done = running.remove(at: index)
    assertions.release(.scheduledTask(identifier))
    return [
      .recordTask(
        TaskRecord(number: run, request: done.request, fate: .completed(isSuccess: isSuccess)))
    ]
  }

  mutating func expire(
    _ identifier: String, _ expiry: TaskExpiry, _ rules: TaskConfiguration, at now: Instant
  ) -> [PhoneDirective] {
    guard let index = running.firstIndex(where: { $0.request.identifier == identifier }),
      running[index].expiry == nil
    else { return [] }
    running[index].expiry = expiry
    running[index].releaseAt = now + rules.completionGrace
    let run = running[index]
    return [
      .tell(.app, .task(.willExpire(identifier: identifier, run: run.number))),
      .recordTask(TaskRecord(number: run.number, request: run.request, fate: .expires(expiry))),
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
          .recordTask(TaskRecord(number: run.number, request: run.request, fate: .expired(expiry))))
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
    return lost.map { .recordTask(TaskRecord(number: $0.number, request: $0.request, fate: .lost)) }
  }

  private func reasonToExpire(
    _ run: Running, _ conditions: TaskConditions, at now: Instant
  ) -> TaskExpiry? {
    if let expiresAt = run.expiresAt, expiresAt <= now { return .timeUp }
    guard run.request.kind == .processing, run.heedsConditions else { return nil }
    if !conditions.isIdle { return .phoneInUse }
    return run.request.requiresExternalPower && !conditions.isCharging ? .chargerGone : nil
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
