import Ground

// Background tasks: what the app asks for, and what comes of it.
extension Phone {
  mutating func react(to event: TaskEvent, at now: Instant) -> [PhoneDirective] {
    switch event {
    case .submitted(let request): return submit(request, at: now)
    case .cancelled(let identifier): return cancelTask(identifier)
    case .completed(let identifier, let run, let isSuccess): return completeTask(identifier, run, isSuccess)
    case .launchedByHand(let identifier):
      guard refusalToLaunchByHand(identifier) == nil,
        let index = tasks.pending.firstIndex(where: { $0.request.identifier == identifier })
      else { return [] }
      return runTask(at: index, isByHand: true, at: now) ?? []
    case .expiredByHand(let identifier):
      guard refusalToExpireByHand(identifier) == nil else { return [] }
      return expireTask(identifier, .byHand, at: now)
    }
  }

  // MARK: By hand

  public func refusalToLaunchByHand(_ identifier: String) -> TaskByHandRefusal? {
    if configuration.enforcesLimits { return .productionBuild }
    guard tasks.pending.contains(where: { $0.request.identifier == identifier }) else { return .notWaiting }
    if tasks.running.contains(where: { $0.request.identifier == identifier }) { return .alreadyRuns }
    if case .terminating = app { return .appEnding }
    return isGoingDown || rebooting != nil ? .appEnding : nil
  }

  public func refusalToExpireByHand(_ identifier: String) -> TaskByHandRefusal? {
    if configuration.enforcesLimits { return .productionBuild }
    let isThere = tasks.running.contains { $0.request.identifier == identifier && $0.expiry == nil }
    return isThere ? nil : .notRunning
  }

  // MARK: Requests

  private mutating func submit(_ request: TaskRequest, at now: Instant) -> [PhoneDirective] {
    // Said just before it was stopped or told to end it counts too: the answer is read when it goes on, if it does.
    guard app.hasProcess else { return [] }
    tasks.lastNumber &+= 1
    let number = tasks.lastNumber
    let record = { TaskRecord(number: number, request: request, fate: $0) }
    if let refusal = refusal(of: request) {
      return [
        .recordTask(record(.refused(refusal))),
        .tell(.app, .task(.refused(identifier: request.identifier, refusal))),
      ]
    }
    let replaced = removePending(request.identifier)
    let pending = BackgroundTasks.Pending(
      number: number, request: request, dueAt: due(request, at: now), hindrance: .tooEarly)
    tasks.pending.append(pending)
    return replaced + [
      .recordTask(record(.waits(.tooEarly))), .tell(.app, .task(.accepted(identifier: request.identifier))),
    ]
  }

  private func refusal(of request: TaskRequest) -> TaskRefusal? {
    guard configuration.tasks.permitted.contains(request.identifier) else {
      return .notPermitted(permitted: configuration.tasks.permitted)
    }
    if request.earliest < .zero { return .badTime }
    if !taskConditions.isRefreshAllowed { return .refreshOff }
    let others = tasks.pending.filter {
      $0.request.kind == request.kind && $0.request.identifier != request.identifier
    }
    return others.count < TaskConfiguration.pendingMax(request.kind) ? nil : .tooMany(request.kind)
  }

  /// Never before it was asked for; a refresh also not before the phone's own rhythm has come round.
  private mutating func due(_ request: TaskRequest, at now: Instant) -> Instant {
    let asked = now + configuration.tasks.scaled(request.earliest)
    guard request.kind == .refresh else { return asked }
    if tasks.nextRefresh == nil { drawNextRefresh(at: now) }
    return max(asked, tasks.nextRefresh ?? asked)
  }

  mutating func drawNextRefresh(at now: Instant) {
    let interval = configuration.tasks.scaled(configuration.tasks.refreshInterval).nanoseconds
    let variation = interval / 100 * Int64(configuration.tasks.variationPercent)
    let drawn = tasks.chance.span(upTo: TimeSpan(nanoseconds: 2 * variation))
    tasks.nextRefresh = now + TimeSpan(nanoseconds: interval - variation) + drawn
  }

  private mutating func cancelTask(_ identifier: String) -> [PhoneDirective] {
    removePending(identifier, fate: .cancelled)
  }

  private mutating func removePending(
    _ identifier: String, fate: TaskRecord.Fate = .replaced
  ) -> [PhoneDirective] {
    guard let index = tasks.pending.firstIndex(where: { $0.request.identifier == identifier }) else {
      return []
    }
    let gone = tasks.pending.remove(at: index)
    return [.recordTask(TaskRecord(number: gone.number, request: gone.request, fate: fate))]
  }

  // MARK: Completion

  /// Once per run: a late word of an older run must not end a newer one of the same name.
  private mutating func completeTask(
    _ identifier: String, _ run: UInt64, _ isSuccess: Bool
  ) -> [PhoneDirective] {
    guard
      let index = tasks.running.firstIndex(where: {
        $0.request.identifier == identifier && $0.number == run
      })
    else { return [.refuseTaskCompletion(identifier: identifier, run: run)] }
    let done = tasks.running.remove(at: index)
    assertions.release(.scheduledTask(identifier))
    return [
      .recordTask(
        TaskRecord(number: run, request: done.request, fate: .completed(isSuccess: isSuccess)))
    ]
  }

  // MARK: Expiry

  mutating func expireTask(_ identifier: String, _ expiry: TaskExpiry, at now: Instant) -> [PhoneDirective] {
    guard let index = tasks.running.firstIndex(where: { $0.request.identifier == identifier }),
      tasks.running[index].expiry == nil
    else { return [] }
    tasks.running[index].expiry = expiry
    tasks.running[index].releaseAt = now + configuration.tasks.completionGrace
    let run = tasks.running[index]
    return [
      .tell(.app, .task(.willExpire(identifier: identifier, run: run.number))),
      .recordTask(TaskRecord(number: run.number, request: run.request, fate: .expires(expiry))),
    ]
  }
}
