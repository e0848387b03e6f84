import Ground

// The extension's life cycle: it serves one push after the other, within its limits.
extension Phone {
  // MARK: Pushes

  mutating func route(_ push: PhonePush, at now: Instant) -> [PhoneDirective] {
    if push.isSilent { return silent.take(push, conditions, at: now) }
    if push.alert == nil, let request = push.badgeAndSound { return take(request, of: push) }
    guard device.allowsNotifications else { return present(.original(push)) }
    if app == .foreground && configuration.foregroundPushes == .app {
      return [.tell(.app, push.message()), .recordFate(push: push.id, .givenToApp)]
    }
    // An extension whose content would be shown nowhere is not started.
    guard push.hasMutableContent, !isGoingDown, device.hidesAlerts == nil else {
      return present(.original(push))
    }
    guard queue.count < Self.waitingPushesMax else { return conclude(push, with: .original(push)) }
    queue.append(push)
    return serveNext(at: now)
  }

  /// Shows the notification. With `ForegroundPushes.extension`, an app in the foreground gets the push just before.
  private func conclude(_ push: PhonePush, with notification: PhoneNotification) -> [PhoneDirective] {
    let isForAppToo = app == .foreground && configuration.foregroundPushes == .extension
    return (isForAppToo ? [.tell(.app, push.message())] : []) + present(notification)
  }

  private mutating func serveNext(at now: Instant) -> [PhoneDirective] {
    guard let next = queue.first else { return [] }
    switch service {
    case .notRunning:
      guard !isGoingDown else { return [] }
      service = .launching
      return [.launch(.extension, .push(next.id))]
    case .idle:
      // The process has served a push, and is not to serve another.
      if hasServed, configuration.afterContentNow == .kill { return killExtension(.afterContent) }
      if hasServed, !configuration.reusesExtension { return killExtension(.reclaimed) }
      return serve(next, at: now)
    case .suspended:
      guard configuration.reusesExtension else { return killExtension(.reclaimed) }
      return [.resume(.extension)] + serve(next, at: now)
    case .launching, .serving, .ending: return []
    }
  }

  private mutating func serve(_ push: PhonePush, at now: Instant) -> [PhoneDirective] {
    queue.removeFirst()
    service = .serving(PushService(push: push, since: now))
    return [.tell(.extension, push.message(milliseconds: configuration.extensionTime.wholeMilliseconds))]
  }

  // MARK: Start and end

  mutating func extensionStarted(at now: Instant) -> [PhoneDirective] {
    switch service {
    case .launching:
      service = .idle(since: now)
      extensionLaunchedAt = now
      return serveNext(at: now)
    case .ending(.asked, _, _): return [.tell(.extension, .terminate)]
    case .ending(.killed(let reason), _, _): return [.kill(.extension, reason)]
    case .ending(.found, _, _): return []
    case .notRunning, .idle, .serving, .suspended: return []
    }
  }

  /// Each failed launch gives up one push, so the retries end.
  mutating func extensionLaunchFailed() -> [PhoneDirective] {
    switch service {
    case .launching:
      service = .notRunning
      guard !queue.isEmpty else { return [] }
      let push = queue.removeFirst()
      return conclude(push, with: .original(push)) + launchForQueue()
    case .ending:
      service = .notRunning
      return launchForQueue()
    case .notRunning, .idle, .serving, .suspended: return []
    }
  }

  mutating func extensionEnded(_ end: ProcessEnd) -> [PhoneDirective] {
    let reason: EndReason
    switch service {
    case .notRunning: return []
    case .ending(let ending, _, _): reason = ending.reason(for: end, announced: hasAnnouncedEnd(.extension))
    case .launching, .idle, .serving, .suspended:
      reason = .unasked(end, announced: hasAnnouncedEnd(.extension))
    }
    announcedEnds.removeAll { $0 == .extension }
    var directives = [PhoneDirective.recordEnd(.extension, reason)]
    if let current = service.unaskedCurrent, !current.isDelivered, hasServed, end == .exited(code: 0) {
      // The process was already ending (another process had taken the node) when it was handed this push, and has
      // not read it: requeue it. Only after an earlier finished push, so the retries end.
      queue.insert(current.push, at: 0)
    } else if let current = service.current, !current.isDelivered {
      directives +=
        rebooting == nil
        ? conclude(current.push, with: .original(current.push))
        : [.recordFate(push: current.push.id, .dropped(.reboot))]
    }
    hasServed = false
    extensionLaunchedAt = nil
    activities.notifier.endAll()
    service = .notRunning
    return directives + launchForQueue()
  }

  private mutating func launchForQueue() -> [PhoneDirective] {
    guard let next = queue.first, !isGoingDown else { return [] }
    service = .launching
    return [.launch(.extension, .push(next.id))]
  }

  mutating func terminateExtension(at now: Instant) -> [PhoneDirective] {
    switch service {
    case .notRunning, .ending: return []
    case .launching, .idle, .serving:
      service = .ending(.asked, service.current, killAt: now + configuration.terminationGrace)
      return [.tell(.extension, .terminate)]
    case .suspended: return killExtension(.reclaimed)
    }
  }

  mutating func killExtension(_ reason: EndReason) -> [PhoneDirective] {
    service = .ending(.killed(reason), service.current, killAt: nil)
    return [.kill(.extension, reason)]
  }

  // MARK: Content

  /// Accepted once per push, also from a process that is being killed: content sent before its end counts.
  mutating func deliver(
    _ text: NotificationText, for push: UInt64, key: String?
  ) -> [PhoneDirective] {
    guard var current = service.current, current.push.id == push, !current.isDelivered else {
      return [.refuseContent(push: push)]
    }
    current.isDelivered = true
    switch service {
    case .serving: service = .serving(current)
    case .ending(let ending, _, let killAt): service = .ending(ending, current, killAt: killAt)
    case .notRunning, .launching, .idle, .suspended: break
    }
    return show(text, for: current.push, key: key)
  }

  /// iOS has the content of the process's last push, or the process has finished that push without content.
  private var owesNothing: Bool {
    switch service {
    case .serving(let current): current.isDelivered
    case .idle: hasServed
    case .notRunning, .launching, .suspended, .ending: false
    }
  }

  /// Called after every event. iOS owes the extension nothing once it has the content: whatever the extension still does
  /// may never happen, unless it has begun an activity.
  mutating func stopAfterContent(at now: Instant) -> [PhoneDirective] {
    guard owesNothing else { return [] }
    switch configuration.afterContentNow {
    case .run: return []
    case .kill: return killExtension(.afterContent)
    case .suspend:
      guard activities.notifier.isEmpty else { return [] }
      hasServed = true
      guard queue.isEmpty else {
        service = .idle(since: now)
        return serveNext(at: now)
      }
      service = .suspended(since: now)
      return [.suspend(.extension)]
    }
  }

  private func show(_ text: NotificationText, for push: PhonePush, key: String?) -> [PhoneDirective] {
    if text.isEmpty, configuration.extensionEntitlements.filtersNotifications {
      return [.recordFate(push: push.id, .filtered)]
    }
    if let why = refusal(of: text) ?? (text.isEmpty ? .emptyWithoutEntitlement : nil) {
      return [.refuseNotification(push: push.id, why), .recordFate(push: push.id, .contentRefused(why))]
        + conclude(push, with: .original(push))
    }
    // On iOS the extension starts from the push's content, badge included, and leaves the badge as it is.
    var content = text
    content.badge = push.alert?.badge
    var notification = PhoneNotification(push: push.id, source: .content, content, key: key)
    notification.userInfo = push.payload
    return conclude(push, with: notification)
  }

  /// The next push waits until this process is gone. The current one may still be delivered: content sent before the
  /// end is read after it.
  mutating func extensionFoundEnding() -> [PhoneDirective] {
    switch service {
    case .idle, .serving, .suspended: service = .ending(.found, service.current, killAt: nil)
    case .notRunning, .launching, .ending: break
    }
    return []
  }

  mutating func serviceFinished(_ push: UInt64, _ reason: String, at now: Instant) -> [PhoneDirective] {
    guard let current = service.current, current.push.id == push else { return [] }
    // It finished without content: the user gets the original alert.
    let forgotten = current.isDelivered ? [] : conclude(current.push, with: .original(current.push))
    switch service {
    case .serving:
      service = .idle(since: now)
      hasServed = true
    case .ending(let ending, _, let killAt): service = .ending(ending, nil, killAt: killAt)
    case .notRunning, .launching, .idle, .suspended: break
    }
    return forgotten + serveNext(at: now)
  }

  // MARK: Limits

  mutating func memorySampled(_ role: Role, _ footprint: UInt64) -> [PhoneDirective] {
    guard role == .extension, configuration.enforcesLimits, footprint > configuration.extensionMemoryBytes
    else { return [] }
    switch service {
    case .notRunning, .ending(.killed, _, _), .ending(.found, _, _): return []
    case .launching, .idle, .serving, .suspended, .ending(.asked, _, _):
      return killExtension(.memory(footprintBytes: footprint, limitBytes: configuration.extensionMemoryBytes))
    }
  }

  /// The kernel has killed it already; the end that is reported next still counts as our kill.
  mutating func memoryLimitEnforced(_ role: Role, _ used: UInt64) -> [PhoneDirective] {
    guard role == .extension, configuration.enforcesLimits else { return [] }
    switch service {
    case .notRunning, .ending(.killed, _, _): return []
    case .launching, .idle, .serving, .suspended, .ending(.asked, _, _), .ending(.found, _, _):
      let reason = EndReason.memory(footprintBytes: used, limitBytes: configuration.extensionMemoryBytes)
      service = .ending(.killed(reason), service.current, killAt: nil)
      return []
    }
  }

  /// iOS kills an extension that takes too long to start: without a warning, and before `didReceive`.
  var extensionStartsBy: Instant? {
    guard configuration.enforcesLimits, let since = extensionLaunchedAt else { return nil }
    switch service {
    case .idle, .serving: return since + configuration.extensionStartTime
    case .notRunning, .launching, .suspended, .ending: return nil
    }
  }

  mutating func reachExtensionStart(at now: Instant) -> [PhoneDirective] {
    guard let due = extensionStartsBy, due <= now else { return [] }
    return killExtension(.startTime(limitMilliseconds: configuration.extensionStartTime.wholeMilliseconds))
  }

  mutating func reachExtensionDeadline(at now: Instant) -> [PhoneDirective] {
    guard let due = service.deadline(configuration), due <= now else { return [] }
    switch service {
    case .notRunning, .launching: return []
    case .idle, .suspended: return terminateExtension(at: now)
    case .ending: return killExtension(.graceOver)
    case .serving(var current):
      if current.killAt(configuration) <= now {
        return killExtension(.time(limitMilliseconds: configuration.extensionTime.wholeMilliseconds))
      }
      current.isWarned = true
      service = .serving(current)
      return [.tell(.extension, .timeWillExpire(push: current.push.id))]
    }
  }
}
