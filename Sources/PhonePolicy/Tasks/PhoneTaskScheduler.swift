import Ground

// The scheduler: looks after each event at what waits and what runs.
extension Phone {
  mutating func tendTasks(after event: PhoneEvent, at now: Instant) -> [PhoneDirective] {
    noteUse(event)
    guard !tasks.pending.isEmpty || !tasks.running.isEmpty else { return [] }
    var directives = loseTasks()
    directives += endRuns(at: now)
    guard !isGoingDown else {
      // Nothing is started any more, and nobody is to be woken for it.
      defer { tasks.pending = [] }
      return directives
        + tasks.pending.map {
          .recordTask(TaskRecord(number: $0.number, request: $0.request, fate: .lost))
        }
    }
    noteDue(at: now)
    return rebooting == nil ? directives + considerPending(at: now) : directives
  }

  /// Also on a phone that is off for a moment: it must not wait for an instant that is over.
  private mutating func noteDue(at now: Instant) {
    for index in tasks.pending.indices where tasks.pending[index].dueAt <= now {
      tasks.pending[index].isDue = true
    }
  }

  private mutating func noteUse(_ event: PhoneEvent) {
    if app == .foreground { tasks.use = .opened }
    if event == .personQuit, tasks.use == .opened { tasks.use = .swipedAway }
  }

  // MARK: What runs

  /// An app that ends gives up all that keeps it awake, and what it was doing with it. It may be on its way back
  /// already, so its state does not tell.
  private mutating func loseTasks() -> [PhoneDirective] {
    let lost = tasks.running.filter { !assertions.contains(.scheduledTask($0.request.identifier)) }
    tasks.running.removeAll { run in lost.contains { $0.number == run.number } }
    return lost.map { .recordTask(TaskRecord(number: $0.number, request: $0.request, fate: .lost)) }
  }

  private mutating func endRuns(at now: Instant) -> [PhoneDirective] {
    var directives: [PhoneDirective] = []
    for run in tasks.running {
      if let expiry = run.expiry {
        guard let releaseAt = run.releaseAt, releaseAt <= now else { continue }
        tasks.running.removeAll { $0.number == run.number }
        assertions.release(.scheduledTask(run.request.identifier))
        directives.append(
          .recordTask(TaskRecord(number: run.number, request: run.request, fate: .expired(expiry))))
      } else if let expiry = reasonToExpire(run, at: now) {
        directives += expireTask(run.request.identifier, expiry, at: now)
      }
    }
    return directives
  }

  private func reasonToExpire(_ run: BackgroundTasks.Running, at now: Instant) -> TaskExpiry? {
    if let expiresAt = run.expiresAt, expiresAt <= now { return .timeUp }
    guard run.request.kind == .processing, run.heedsConditions else { return nil }
    if !taskConditions.isIdle { return .phoneInUse }
    return run.request.requiresExternalPower && !taskConditions.isCharging ? .chargerGone : nil
  }

  // MARK: What waits

  private mutating func considerPending(at now: Instant) -> [PhoneDirective] {
    var directives: [PhoneDirective] = []
    for number in tasks.pending.sorted(by: { $0.dueAt < $1.dueAt }).map(\.number) {
      guard let index = tasks.pending.firstIndex(where: { $0.number == number }) else { continue }
      guard let hindrance = hindrance(of: tasks.pending[index]) ?? deferral(ofPendingAt: index, at: now)
      else {
        directives += runTask(at: index, isByHand: false, at: now) ?? []
        continue
      }
      if tasks.pending[index].hindrance != hindrance {
        tasks.pending[index].hindrance = hindrance
        let waiting = tasks.pending[index]
        directives.append(
          .recordTask(TaskRecord(number: number, request: waiting.request, fate: .waits(hindrance))))
      }
    }
    return directives
  }

  /// Nil: it may run.
  private func hindrance(of pending: BackgroundTasks.Pending) -> TaskHindrance? {
    guard pending.isDue else { return pending.wasDeferred ? .deferred : .tooEarly }
    let conditions = taskConditions
    switch tasks.use {
    case .neverOpened: return .neverOpened
    case .swipedAway: return .swipedAway
    case .opened: break
    }
    if !conditions.isRefreshAllowed { return .refreshOff }
    if conditions.isLowPower { return .lowPower }
    if tasks.running.contains(where: { pending.request.collides(with: $0.request) }) { return .anotherRuns }
    switch app {
    case .foreground, .launching(intoForeground: true): return .appInFront
    case .terminating: return .appEnding
    case .notRunning, .background, .suspended, .launching(intoForeground: false): break
    }
    if pending.request.kind == .processing && !conditions.isIdle { return .inUse }
    if pending.request.requiresExternalPower && !conditions.isCharging { return .noCharger }
    if !conditions.isCharging && conditions.batteryPercent <= configuration.tasks.sufficientBatteryPercent {
      return .batteryLow(percent: conditions.batteryPercent)
    }
    return pending.request.requiresNetwork && !conditions.hasNetwork ? .noNetwork : nil
  }

  /// Even what could run is put off now and then, once.
  private mutating func deferral(ofPendingAt index: Int, at now: Instant) -> TaskHindrance? {
    guard tasks.pending[index].request.kind == .processing, !tasks.pending[index].wasDeferred else {
      return nil
    }
    tasks.pending[index].wasDeferred = true
    guard tasks.chance.number(upTo: 99) < UInt64(clamping: configuration.tasks.deferralPercent) else {
      return nil
    }
    let longest = configuration.tasks.scaled(configuration.tasks.deferral)
    tasks.pending[index].dueAt = now + tasks.chance.span(upTo: longest) + TimeSpan(nanoseconds: 1)
    tasks.pending[index].isDue = false
    return .deferred
  }

  /// Nil when the app cannot be reached.
  mutating func runTask(at index: Int, isByHand: Bool, at now: Instant) -> [PhoneDirective]? {
    let pending = tasks.pending[index]
    let identifier = pending.request.identifier
    let time = configuration.tasks.time(for: pending.request.kind)
    let message = TaskMessage.run(
      identifier: identifier, run: pending.number, milliseconds: time.wholeMilliseconds)
    let words = wake(
      for: .task(message), .scheduledTask(identifier), holding: .scheduledTask(identifier), at: now)
    guard let words else { return nil }
    tasks.pending.remove(at: index)
    tasks.running.append(
      BackgroundTasks.Running(
        number: pending.number, request: pending.request, since: now,
        expiresAt: configuration.enforcesLimits ? now + time : nil, heedsConditions: !isByHand))
    if pending.request.kind == .refresh { drawNextRefresh(at: now) }
    let record = TaskRecord(
      number: pending.number, request: pending.request, fate: .runs(isByHand: isByHand))
    return [.recordTask(record)] + words
  }
}
