import Ground

// The app going to the foreground and the background: what keeps it running there, and how it releases the node.
extension AppMachine {
  mutating func enteredForeground(at now: Instant) -> [GuardDirective] {
    let wasSuspended = presence.isSuspended
    let wasStaying = place == .staying
    switch place {
    case .background, .staying, .leaving: place = .foreground
    case .foreground, .ending, .ended: return []
    }
    let done = silentPush.complete() + endBackgroundTask()
    if wasStaying && isIntentRaised && halted == nil { return done }
    halted = nil
    isIntentRaised = true
    let ping = wasSuspended ? presence.resume() : PresenceCode(.app, .ping)
    return done + [.raiseIntent] + say(ping) + ownership.want(at: now)
  }

  mutating func enteredBackground(at now: Instant) -> [GuardDirective] {
    // The phone waits for the answer. The app holds nothing, so it answers at once.
    if place == .background { return [.backgroundDone] }
    guard place == .foreground else { return [] }
    // The background task begins before the release: iOS kills an app that is suspended with a lock in a shared
    // container.
    let time = [beginBackgroundTask(named: tasks.name), .backgroundDone]
    guard tasks.isEmpty || halted != nil else {
      place = .staying
      return time
    }
    return time + leave(at: now)
  }

  mutating func leave(at now: Instant) -> [GuardDirective] {
    place = .leaving
    askAt = nil
    let withdraw = withdrawal
    let ping = withdraw.isEmpty ? [] : say(PresenceCode(.app, .ping))
    return withdraw + ping + ownership.unwant(at: now)
  }

  // MARK: Silent pushes

  /// The phone launched the app in the background for a silent push: a payment may be pending. Takes the node if it is
  /// free.
  mutating func silentPushArrived(
    _ push: Push, under name: String?, at now: Instant
  ) -> [GuardDirective] {
    if silentPush.pushes.contains(push.id) { return [] }
    // The phone may suspend the app as soon as it completes this push: an earlier one may have expired while the app
    // was frozen. So no push is completed before the release.
    let isKeptAwake = !silentPush.pushes.isEmpty && !push.reason.mayConcernPayment
    if place == .leaving || place == .ending || isKeptAwake {
      silentPush.join(push.id)
      return []
    }
    guard push.reason.mayConcernPayment, place == .background || place == .staying else {
      return [.completed(push: push.id, .noData)]
    }
    // Only the user can resolve a halt, so a push cannot.
    if let halted { return [.noteFailure(.halted(halted)), .completed(push: push.id, .failed)] }
    silentPush.begin(push.id, time: push.time, isEstablished: ownership.isEstablished, at: now)
    let task = beginTaskOfPush(named: name)
    guard place == .background else { return task }
    place = .staying
    return task + say(presence.isSuspended ? presence.resume() : nil) + ownership.want(at: now)
  }

  /// A silent push's own background task: its name says what the app does, and the phone warns the app before the
  /// task's time is over. Begun before the look, so that the app has no lock without it.
  private mutating func beginTaskOfPush(named name: String?) -> [GuardDirective] {
    guard let name, backgroundTask == nil else { return [] }
    isTaskOfPush = true
    return [beginBackgroundTask(named: name)]
  }

  /// A silent push is not completed yet.
  public var handlesSilentPush: Bool { !silentPush.pushes.isEmpty }

  /// The node is busy, so the silent push is not completed yet.
  var isBusy: Bool { ownership.activity != .nothing }

  mutating func noteSilentPush(_ event: GuardEvent, at now: Instant) {
    guard !silentPush.pushes.isEmpty else { return }
    // Another process holds the node and receives the pending payment.
    if case .holder = ownership.waitsFor { return silentPush.stopWaiting() }
    if let raise = ownership.failedRaise { return silentPush.end(of: .container(raise.trouble)) }
    switch event {
    case .expiryWarned(let push): if silentPush.pushes.contains(push) { silentPush.timeOut() }
    default: silentPush.note(event, isBusy: isBusy, at: now)
    }
  }

  // MARK: Tasks

  mutating func noteTasks(_ event: GuardEvent, wasBusyWith before: NodeActivity, at now: Instant) {
    tasks.follow(ownership.activity, since: before, at: now)
    guard place != .ending else { return tasks.endAll() }
    switch event {
    case .taskBegan(let task): tasks.begin(.named(task.name), generation: task.generation, at: now)
    case .taskEnded(let task): tasks.end(.named(task.name), generation: task.generation)
    // Ends tasks that are still pending too: iOS kills an app that keeps its background task.
    case .backgroundTimeExpired(let task) where task == backgroundTask:
      tasks.endAll()
      silentPush.timeOut()
    case .deadlineReached: tasks.endOverdue(at: now)
    default: break
    }
  }

  /// Leaves when the last task has ended, or when the node is lost and no task can continue.
  mutating func leaveWithoutTasks(at now: Instant) -> [GuardDirective] {
    guard place == .staying else { return [] }
    let done = endSilentPush()
    let hasNothingToDo = tasks.isEmpty && silentPush.isOver
    guard hasNothingToDo || ownership.isIdle || halted != nil else { return done }
    tasks.endAll()
    return done + leave(at: now)
  }

  /// Ends a silent push that is over. Without a background task begun on the way home the push alone kept the app
  /// awake: pending tasks are left to the next owner and the push is completed after the release. With one the app
  /// continues and completes it now.
  private mutating func endSilentPush() -> [GuardDirective] {
    guard silentPush.isOver, !silentPush.pushes.isEmpty else { return [] }
    if backgroundTask == nil || isTaskOfPush { tasks.endAll() }
    return tasks.isEmpty ? [] : silentPush.complete()
  }

  private mutating func beginBackgroundTask(named name: String?) -> GuardDirective {
    backgroundTasksAsked &+= 1
    backgroundTask = backgroundTasksAsked
    return .beginBackgroundTask(backgroundTasksAsked, name: name)
  }

  mutating func endBackgroundTask() -> [GuardDirective] {
    guard let task = backgroundTask else { return [] }
    backgroundTask = nil
    isTaskOfPush = false
    return [.endBackgroundTask(task)]
  }
}
