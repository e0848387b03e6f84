import Ground

// What happens to an app that nobody sees: it is stopped some seconds after it left the front, unless something keeps
// it awake, and whoever is stopped with a lock in the container is killed.
extension Phone {
  // MARK: Tasks of its own

  /// Nobody who forgets to end them makes the phone slow.
  private static let ownTasksMax = 1000

  mutating func beginTask(_ id: UInt64, _ name: String, at now: Instant) -> [PhoneDirective] {
    switch app {
    case .launching, .foreground, .background:
      guard assertions.ownTasks.count < Self.ownTasksMax else { return [.tell(.app, .taskExpiring(id: id))] }
      assertions.hold(.backgroundTask(id: id, name: name), at: now)
      return []
    // Nothing is promised to who is stopped or on its way out: its time is over before it began, and it hears so when it
    // goes on.
    case .suspended, .terminating: return [.tell(.app, .taskExpiring(id: id))]
    case .notRunning: return []
    }
  }

  mutating func endTask(_ id: UInt64) -> [PhoneDirective] {
    guard let held = assertions.ownTasks.first(where: { $0.id == id }) else { return [] }
    assertions.release(.backgroundTask(id: held.id, name: held.name))
    if assertions.ownTasks.isEmpty, case .background(var stay) = app {
      stay.killAt = nil
      app = .background(stay)
    }
    return []
  }

  mutating func backgroundDone(_ time: UInt64) -> [PhoneDirective] {
    guard case .background(var stay) = app, time == timesInBackground else { return [] }
    stay.isDone = true
    app = .background(stay)
    return []
  }

  /// It is in the background, and nothing keeps it awake there.
  public var hasAppLetGo: Bool {
    switch app {
    case .background(let stay): stay.isDone && assertions.isEmpty
    case .suspended: true
    case .notRunning, .launching, .foreground, .terminating: false
    }
  }

  // MARK: Suspension

  /// After every event: who was in the background for longer than the first seconds is stopped as soon as nothing keeps
  /// it awake.
  mutating func suspendIfIdle(at now: Instant) -> [PhoneDirective] {
    guard case .background(let stay) = app, let due = suspendsAt(stay), due <= now else { return [] }
    app = .suspended
    return [.suspend(.app)]
  }

  private func suspendsAt(_ stay: BackgroundStay) -> Instant? {
    guard configuration.limitsBackground, stay.isDone, assertions.isEmpty else { return nil }
    return stay.since + configuration.suspendAfter
  }

  /// The shell has stopped it and found locks of it in the container.
  mutating func suspendedHoldingLock(_ file: String) -> [PhoneDirective] {
    guard app == .suspended, configuration.limitsBackground else { return [] }
    app = .terminating(.killed(.lockHeldWhileSuspended(file)), killAt: nil)
    return [.kill(.app, .lockHeldWhileSuspended(file))]
  }

  // MARK: Deadlines

  func backgroundDeadline(_ stay: BackgroundStay) -> Instant? {
    if let due = suspendsAt(stay) { return due }
    guard configuration.limitsBackground else { return nil }
    if !stay.isDone { return stay.since + configuration.callbackTime }
    if let killAt = stay.killAt { return killAt }
    // An app that something else has kept awake for long has its whole time for a task that it begins then.
    return assertions.oldestOwnTask.map { max($0, stay.since) + configuration.backgroundTime }
  }

  mutating func reachBackgroundDeadline(_ stay: BackgroundStay, at now: Instant) -> [PhoneDirective] {
    guard let due = backgroundDeadline(stay), due <= now else { return [] }
    if suspendsAt(stay) != nil { return [] }
    if !stay.isDone { return killApp(.watchdog(milliseconds: configuration.callbackTime.wholeMilliseconds)) }
    if stay.killAt != nil {
      return killApp(.tasksNotEnded(milliseconds: configuration.backgroundTime.wholeMilliseconds))
    }
    app = .background(
      BackgroundStay(since: stay.since, isDone: true, killAt: now + configuration.taskExpiryGrace))
    return assertions.ownTasks.map { .tell(.app, .taskExpiring(id: $0.id)) }
  }

  private mutating func killApp(_ reason: KillReason) -> [PhoneDirective] {
    app = .terminating(.killed(reason), killAt: nil)
    return [.kill(.app, reason)]
  }
}
