import Ground

// The app in front and in the background: what keeps it at work there, and how it leaves.
extension AppMachine {
  mutating func enteredForeground(at now: Instant) -> [GuardDirective] {
    let wasSuspended = presence.isSuspended
    let wasStaying = place == .staying
    switch place {
    case .background, .staying, .leaving: place = .foreground
    case .foreground, .ending, .ended: return []
    }
    let done = errand.complete() + giveTimeBack()
    if wasStaying && isIntentRaised && halted == nil { return done }
    halted = nil
    isIntentRaised = true
    let ping = wasSuspended ? presence.resume() : PresenceCode(.app, .ping)
    return done + [.raiseIntent] + say(ping) + ownership.want(at: now)
  }

  mutating func enteredBackground(at now: Instant) -> [GuardDirective] {
    // Whoever asks waits for the answer: nothing is held, so there is nothing to wait for.
    if place == .background { return [.backgroundDone] }
    guard place == .foreground else { return [] }
    // The time is asked for before anything is let go of: who is suspended with a lock in its hands is killed.
    let time = askForTime()
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
    let word = withdraw.isEmpty ? [] : say(PresenceCode(.app, .ping))
    return withdraw + word + ownership.unwant(at: now)
  }

  // MARK: Silent pushes

  /// The phone has woken the app in the background, as a payment may wait. It takes the node if nobody has it.
  mutating func silentPushArrived(_ push: Push, at now: Instant) -> [GuardDirective] {
    if errand.pushes.contains(push.id) { return [] }
    guard push.reason.mayConcernPayment, place == .background || place == .staying else {
      return [.completed(push: push.id, .noData)]
    }
    // Only the user can help, and a push is none.
    if let halted { return [.noteFailure(.halted(halted)), .completed(push: push.id, .failed)] }
    errand.begin(push.id, time: push.time, isEstablished: ownership.isEstablished, at: now)
    guard place == .background else { return [] }
    place = .staying
    return say(presence.isSuspended ? presence.resume() : nil) + ownership.want(at: now)
  }

  /// Something is under way that a silent push waits for.
  var isBusy: Bool { ownership.activity != .nothing }

  mutating func noteErrand(_ event: GuardEvent, at now: Instant) {
    guard !errand.pushes.isEmpty else { return }
    // Somebody else has the node: what waits is received there.
    if case .holder = ownership.waitsFor { return errand.giveUp() }
    if let jump = ownership.failedJump { return errand.end(of: .container(jump.trouble)) }
    switch event {
    case .expiryWarned: errand.giveUpInVain()
    default: errand.note(event, isBusy: isBusy, at: now)
    }
  }

  // MARK: Tasks

  mutating func noteTasks(_ event: GuardEvent, wasBusyWith before: NodeActivity, at now: Instant) {
    tasks.follow(ownership.activity, since: before, at: now)
    guard place != .ending else { return tasks.endAll() }
    switch event {
    case .taskBegan(let task): tasks.begin(.named(task.name), generation: task.generation, at: now)
    case .taskEnded(let task): tasks.end(.named(task.name), generation: task.generation)
    // Whatever is under way: what is not let go of now is taken.
    case .backgroundTimeExpired(let task) where task == backgroundTask:
      tasks.endAll()
      errand.giveUpInVain()
    case .deadlineReached: tasks.endOverdue(at: now)
    default: break
    }
  }

  /// The last task is over; or there is no node any more that it could go on with.
  mutating func leaveWithoutTasks(at now: Instant) -> [GuardDirective] {
    guard place == .staying else { return [] }
    let done = endErrand()
    let hasNothingToDo = tasks.isEmpty && errand.isOver
    guard hasNothingToDo || ownership.isIdle || halted != nil else { return done }
    tasks.endAll()
    return done + leave(at: now)
  }

  /// The push is no reason to stay any more. If it was all that kept the app awake, whatever is half-way is left to the
  /// next owner: the phone waits for its word. If the app has time of its own it goes on, and says the word now.
  private mutating func endErrand() -> [GuardDirective] {
    guard errand.isOver, !errand.pushes.isEmpty else { return [] }
    if backgroundTask == nil { tasks.endAll() }
    return tasks.isEmpty ? [] : errand.complete()
  }

  mutating func askForTime() -> [GuardDirective] {
    backgroundTasksAsked &+= 1
    backgroundTask = backgroundTasksAsked
    return [.beginBackgroundTask(backgroundTasksAsked, name: tasks.name), .backgroundDone]
  }

  mutating func giveTimeBack() -> [GuardDirective] {
    guard let task = backgroundTask else { return [] }
    backgroundTask = nil
    return [.endBackgroundTask(task)]
  }
}
