import Ground

// An app in the background is suspended some seconds after it left the foreground, unless an assertion keeps it
// awake. A process suspended while it holds a lock in the container is killed.
extension Phone {
  // MARK: Tasks of its own

  /// An app that never ends its tasks must not slow the phone down.
  private static let ownTasksMax = 1000

  mutating func beginTask(_ id: UInt64, _ name: String, at now: Instant) -> [PhoneDirective] {
    switch app {
    case .launching, .foreground, .background:
      guard assertions.ownTasks.count < Self.ownTasksMax else { return [.tell(.app, .taskExpiring(id: id))] }
      assertions.hold(.backgroundTask(id: id, name: name), at: now)
      return []
    // A suspended or terminating app gets no time: the task expires at once, which the app learns when it resumes.
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

  /// The app is in the background, and no assertion keeps it awake.
  public var isAppIdle: Bool {
    switch app {
    case .background(let stay): stay.isDone && assertions.isEmpty
    case .suspended: true
    case .notRunning, .launching, .foreground, .terminating: false
    }
  }

  // MARK: Suspension

  /// Called after every event. An app that has been in the background for `suspendAfter` is suspended as soon as no
  /// assertion keeps it awake.
  mutating func suspendIfIdle(at now: Instant) -> [PhoneDirective] {
    guard case .background(let stay) = app, let due = suspendsAt(stay), due <= now else { return [] }
    app = .suspended
    return [.suspend(.app)]
  }

  private func suspendsAt(_ stay: BackgroundStay) -> Instant? {
    guard configuration.limitsBackgroundNow, stay.isDone, assertions.isEmpty, activities.app.isEmpty else {
      return nil
    }
    return stay.since + configuration.suspendAfter
  }

  /// The shell has stopped the process and found that it holds a lock in the container.
  mutating func suspendedHoldingLock(_ role: Role, _ file: String) -> [PhoneDirective] {
    guard configuration.limitsBackgroundNow, !configuration.sparesLockHolders else { return [] }
    guard role == .app else {
      guard case .suspended = service else { return [] }
      return killExtension(.lockHeldWhileSuspended(file))
    }
    guard app == .suspended else { return [] }
    return killApp(.lockHeldWhileSuspended(file))
  }

  // MARK: Deadlines

  func backgroundDeadline(_ stay: BackgroundStay) -> Instant? {
    if let due = suspendsAt(stay) { return due }
    guard configuration.limitsBackgroundNow else { return nil }
    if !stay.isDone { return stay.since + configuration.callbackTime }
    if let killAt = stay.killAt { return killAt }
    // The time of a task begun late in the stay counts from its begin.
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

  mutating func killApp(_ reason: EndReason) -> [PhoneDirective] {
    app = .terminating(.killed(reason), killAt: nil)
    return [.kill(.app, reason)]
  }
}

/// A running app in the background: it came here a moment ago, or an assertion keeps it awake.
public struct BackgroundStay: Hashable, Codable, Sendable {
  /// Start of the stay; the time limit of background tasks counts from here.
  public var since: Instant
  /// The app has confirmed `enter-background`, for which it has 5 s.
  public var isDone: Bool = false
  /// Set when its background tasks were told to expire: the app is killed at this instant.
  public var killAt: Instant? = nil
}

extension BackgroundStay: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    since.shift(by: span)
    killAt.shift(by: span)
  }
}
