import Ground

// Silent pushes: best effort. They wake the app in the background if the budget and the device allow it.
extension Phone {
  var conditions: SilentPushes.Conditions {
    SilentPushes.Conditions(
      app: app, isGoingDown: isGoingDown, isInLowPowerMode: device.isInLowPowerMode,
      isRefreshAllowed: device.allowsBackgroundRefresh, rules: configuration.silentPushes,
      enforcesLimits: configuration.enforcesLimits)
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
      silent.noteDelivered(push.id, before, at: now)
      return [.tell(.app, push.message()), .recordFate(push: push.id, .delivered)]
    case .toAppInBackground(let push):
      let message = push.message(
        milliseconds: configuration.silentPushes.completionTime.wholeMilliseconds)
      guard let woken = wake(for: message, .silentPush(push.id), holding: .silentPush(push.id), at: now)
      else { return [] }
      silent.noteDelivered(push.id, before, at: now)
      return woken + [.recordFate(push: push.id, .delivered)]
    }
  }
}
