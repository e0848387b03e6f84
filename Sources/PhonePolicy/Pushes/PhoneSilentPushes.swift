import Ground

// Silent pushes: best effort. They wake the app in the background when the phone can afford it.
extension Phone {
  private var rules: SilentPushRules { configuration.silentPushes }

  mutating func takeSilent(_ push: PhonePush, at now: Instant) -> [PhoneDirective] {
    if isGoingDown { return drop(push.id, .goingDown) }
    var notBefore = now
    if app != .foreground {
      if silent.isSwipedAway { return drop(push.id, .swipedAway) }
      if !device.allowsBackgroundRefresh { return drop(push.id, .backgroundRefreshOff) }
      if device.isInLowPowerMode, rules.lowPower == .drop { return drop(push.id, .lowPowerMode) }
      // Both are drawn for each: so one setting does not change the chances of the other.
      let luck = silent.chance.number(upTo: 99)
      let delay = silent.chance.number(upTo: UInt64(max(0, rules.delayMax.nanoseconds)))
      if luck < rules.dropPercent { return drop(push.id, .chance) }
      notBefore = now + TimeSpan(nanoseconds: Int64(clamping: delay))
    }
    var directives: [PhoneDirective] = []
    if let older = silent.waiting {
      directives = [.recordFate(push: older.id, .replaced(by: push.id)), .drop(push: older.id)]
    }
    silent.waiting = SilentPushes.Waiting(id: push.id, notBefore: notBefore)
    return directives
  }

  /// After each event: whatever has just changed may let the one that waits through, or end the time of another.
  mutating func settleSilentPushes(
    after event: PhoneEvent, _ before: [PhoneDirective], at now: Instant
  ) -> [PhoneDirective] {
    silent.forget(before: now, rules)
    var directives: [PhoneDirective] = []
    switch event {
    case .processEnded(.app, _):
      let end = before.lazy.compactMap { if case .recordEnd(.app, let reason) = $0 { reason } else { nil } }
        .first
      directives = abandonOpenPushes(after: end, at: now)
    case .launchFailed(.app, _):
      directives = silent.open.flatMap { drop($0.id, .launchFailed) }
      silent.open = []
    default: directives = letTimeRun(at: now)
    }
    return directives + deliverWaiting(at: now)
  }

  mutating func silentPushDone(_ push: UInt64, _ result: SilentPushResult) -> [PhoneDirective] {
    guard let index = silent.open.firstIndex(where: { $0.id == push }) else {
      return [.refuseCompletion(push: push)]
    }
    silent.open.remove(at: index)
    assertions.release(.silentPush(push))
    return [.recordFate(push: push, .completed(result))]
  }

  var silentDeadline: Instant? {
    var earliest: Instant?
    func consider(_ instant: Instant?) {
      guard let instant else { return }
      earliest = min(earliest ?? instant, instant)
    }
    for push in silent.open { consider(due(push)) }
    // Only time can help those that wait for time.
    switch silent.waiting?.reason {
    case .delayed: consider(silent.waiting?.notBefore)
    case .budgetUsed, .throttled: consider(silent.budgetChange(rules))
    case .lowPowerMode, .appIsEnding, nil: break
    }
    return earliest
  }

  // MARK: The one that waits

  private mutating func deliverWaiting(at now: Instant) -> [PhoneDirective] {
    guard var waiting = silent.waiting else { return [] }
    if let why = reasonToDrop {
      silent.waiting = nil
      return drop(waiting.id, why)
    }
    // In a moment it is in front, and gets it there.
    if case .launching(intoForeground: true) = app { return [] }
    if app == .foreground {
      silent.waiting = nil
      silent.open.append(SilentPushes.Open(id: waiting.id, endsBy: nil))
      return [
        .tell(.app, .push(id: waiting.id, deadlineMilliseconds: 0)),
        .recordFate(push: waiting.id, .delivered),
      ]
    }
    if let why = reasonToHold(waiting, at: now) {
      guard waiting.reason != why else { return [] }
      waiting.reason = why
      silent.waiting = waiting
      return [.recordFate(push: waiting.id, .held(why))]
    }
    let message = PhoneMessage.push(
      id: waiting.id, deadlineMilliseconds: rules.completionTime.wholeMilliseconds)
    guard
      let woken = wake(for: message, .silentPush(waiting.id), holding: .silentPush(waiting.id), at: now)
    else { return [] }
    silent.waiting = nil
    silent.deliveries.append(now)
    silent.open.append(SilentPushes.Open(id: waiting.id, endsBy: end(from: now)))
    return woken + [.recordFate(push: waiting.id, .delivered)]
  }

  private var reasonToDrop: PushDrop? {
    if isGoingDown { return .goingDown }
    if app == .foreground { return nil }
    if silent.isSwipedAway { return .swipedAway }
    if !device.allowsBackgroundRefresh { return .backgroundRefreshOff }
    return device.isInLowPowerMode && rules.lowPower == .drop ? .lowPowerMode : nil
  }

  private func reasonToHold(_ waiting: SilentPushes.Waiting, at now: Instant) -> PushHold? {
    if device.isInLowPowerMode { return .lowPowerMode }
    if case .terminating = app { return .appIsEnding }
    if waiting.notBefore > now { return .delayed }
    let budget = silent.budget(rules)
    guard silent.deliveries.count >= budget else { return nil }
    return silent.throttledUntil == nil ? .budgetUsed(perWindow: budget) : .throttled(perWindow: budget)
  }

  private func drop(_ push: UInt64, _ why: PushDrop) -> [PhoneDirective] {
    [.recordFate(push: push, .dropped(why)), .drop(push: push)]
  }

  // MARK: Those in the app's hands

  private func end(from now: Instant) -> Instant? {
    configuration.enforcesLimits ? now + rules.completionTime : nil
  }

  private func due(_ push: SilentPushes.Open) -> Instant? {
    push.endsBy.map { push.isWarned ? $0 + rules.completionGrace : $0 }
  }

  private mutating func letTimeRun(at now: Instant) -> [PhoneDirective] {
    var directives: [PhoneDirective] = []
    var stillOpen: [SilentPushes.Open] = []
    for var push in silent.open {
      if app == .foreground {
        push.endsBy = nil
        push.isWarned = false
      } else if push.endsBy == nil, case .background = app {
        push.endsBy = end(from: now)
        assertions.hold(.silentPush(push.id), at: now)
      }
      guard let due = due(push), due <= now else {
        stillOpen.append(push)
        continue
      }
      throttle(at: now)
      if push.isWarned {
        assertions.release(.silentPush(push.id))
        directives.append(.recordFate(push: push.id, .expired))
      } else {
        push.isWarned = true
        directives.append(.tell(.app, .timeWillExpire(push: push.id)))
        stillOpen.append(push)
      }
    }
    silent.open = stillOpen
    return directives
  }

  /// An app that ends by itself with a push in its hands has not completed it; one that others end is not to blame.
  private mutating func abandonOpenPushes(after end: EndReason?, at now: Instant) -> [PhoneDirective] {
    guard !silent.open.isEmpty else { return [] }
    let abandoned = silent.open.map { PhoneDirective.recordFate(push: $0.id, .abandoned) }
    silent.open = []
    switch end {
    case .ended, .gaveUp, .crashed: throttle(at: now)
    case .endedAsAsked, .killed, .killedFromOutside, nil: break
    }
    return abandoned
  }

  private mutating func throttle(at now: Instant) { silent.throttledUntil = now + rules.window }
}
