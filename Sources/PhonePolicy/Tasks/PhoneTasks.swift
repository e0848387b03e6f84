import Ground

// Background tasks: the app's requests, their scheduling, and waking the app for them.
extension Phone {
  mutating func react(to event: TaskEvent, at now: Instant) -> [PhoneDirective] {
    switch event {
    case .submitted(let request):
      // A request sent just before the app was suspended or told to terminate counts too; the app reads the answer
      // if it resumes.
      return app.hasProcess ? tasks.submit(request, taskConditions, at: now) : []
    case .cancelled(let identifier): return tasks.withdraw(identifier, .cancelled)
    case .completed(let identifier, let run, let isSuccess):
      return tasks.complete(identifier, run, isSuccess, &assertions)
    case .launchedByHand(let identifier):
      guard refusalToLaunchByHand(identifier) == nil,
        let pending = tasks.pending.first(where: { $0.request.identifier == identifier })
      else { return [] }
      return run(pending, isByHand: true, at: now)
    case .expiredByHand(let identifier):
      guard refusalToExpireByHand(identifier) == nil else { return [] }
      return tasks.expire(identifier, .byHand, configuration.tasks, at: now)
    }
  }

  private var taskConditions: TaskConditions {
    TaskConditions(
      app: app, device: device, rules: configuration.tasks, enforcesLimits: configuration.enforcesLimits)
  }

  // MARK: By hand

  public func refusalToLaunchByHand(_ identifier: String) -> Refusal? {
    if configuration.enforcesLimits { return .productionBuild }
    guard tasks.pending.contains(where: { $0.request.identifier == identifier }) else { return .notWaiting }
    if tasks.running.contains(where: { $0.request.identifier == identifier }) { return .alreadyRuns }
    if case .terminating = app { return .appEnding }
    return isGoingDown || rebooting != nil ? .appEnding : nil
  }

  public func refusalToExpireByHand(_ identifier: String) -> Refusal? {
    if configuration.enforcesLimits { return .productionBuild }
    let isThere = tasks.running.contains { $0.request.identifier == identifier && $0.expiry == nil }
    return isThere ? nil : .notRunning
  }

  // MARK: The scheduler

  /// Called after each event: checks pending and running tasks.
  mutating func updateTasks(after event: PhoneEvent, at now: Instant) -> [PhoneDirective] {
    tasks.noteUse(app, event)
    guard !tasks.isEmpty else { return [] }
    var directives = tasks.end(taskConditions, &assertions, at: now)
    guard !isGoingDown else { return directives + tasks.loseWaiting() }
    tasks.noteDue(at: now)
    guard rebooting == nil else { return directives }
    for number in tasks.byDueTime {
      if let waits = tasks.hold(number, taskConditions, at: now) {
        directives += waits
      } else if let pending = tasks.pending.first(where: { $0.number == number }) {
        directives += run(pending, isByHand: false, at: now)
      }
    }
    return directives
  }

  /// Starts the task, unless the app cannot be reached.
  private mutating func run(
    _ pending: BackgroundTasks.Pending, isByHand: Bool, at now: Instant
  ) -> [PhoneDirective] {
    let identifier = pending.request.identifier
    let time = configuration.tasks.time(for: pending.request.kind)
    let message = TaskMessage.run(
      identifier: identifier, run: pending.number, milliseconds: time.wholeMilliseconds)
    let woken = wake(
      for: .task(message), .scheduledTask(identifier), holding: .scheduledTask(identifier), at: now)
    guard let woken else { return [] }
    return tasks.begin(pending.number, isByHand: isByHand, taskConditions, at: now) + woken
  }
}
