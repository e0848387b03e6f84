import Ground

// Silent pushes: best effort. They wake the app in the background if the budget and the device allow it.
extension Phone {
  private var conditions: SilentPushes.Conditions {
    SilentPushes.Conditions(
      app: app, isGoingDown: isGoingDown, isInLowPowerMode: device.isInLowPowerMode,
      isRefreshAllowed: device.allowsBackgroundRefresh, rules: configuration.silentPushes,
      enforcesLimits: configuration.enforcesLimits)
  }

  mutating func takeSilent(_ push: PhonePush, at now: Instant) -> [PhoneDirective] {
    silent.take(push.id, conditions, at: now)
  }

  mutating func silentPushDone(_ push: UInt64, _ result: SilentPushResult) -> [PhoneDirective] {
    silent.complete(push, result, &assertions)
  }

  /// Called after each event: it may release the waiting push, or end the time of a delivered one.
  mutating func settleSilentPushes(
    after event: PhoneEvent, _ before: [PhoneDirective], at now: Instant
  ) -> [PhoneDirective] {
    let rules = configuration.silentPushes
    silent.forget(before: now, rules)
    let directives: [PhoneDirective]
    switch event {
    case .processEnded(.app, _):
      let end = before.lazy.compactMap { if case .recordEnd(.app, let reason) = $0 { reason } else { nil } }
        .first
      directives = silent.abandon(after: end, rules, at: now)
    case .launchFailed(.app, _): directives = silent.abandonAtLaunch()
    default: directives = silent.letTimeRun(conditions, &assertions, at: now)
    }
    return directives + deliverWaiting(at: now)
  }

  private mutating func deliverWaiting(at now: Instant) -> [PhoneDirective] {
    let before = conditions
    switch silent.next(before, at: now) {
    case .none(let directives): return directives
    case .toAppInFront(let push):
      silent.noteDelivered(push, before, at: now)
      return [
        .tell(.app, .push(id: push, deadlineMilliseconds: 0)), .recordFate(push: push, .delivered),
      ]
    case .toAppInBackground(let push):
      let time = configuration.silentPushes.completionTime.wholeMilliseconds
      let message = PhoneMessage.push(id: push, deadlineMilliseconds: time)
      guard let woken = wake(for: message, .silentPush(push), holding: .silentPush(push), at: now) else {
        return []
      }
      silent.noteDelivered(push, before, at: now)
      return woken + [.recordFate(push: push, .delivered)]
    }
  }
}
