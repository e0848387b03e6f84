import Ground

// The app's life cycle, mostly driven by the user.
extension Phone {
  mutating func open() -> [PhoneDirective] {
    guard !isGoingDown else { return [] }
    switch app {
    case .notRunning:
      app = .launching(intoForeground: true)
      return [.launch(.app, .user)]
    case .launching:
      app = .launching(intoForeground: true)
      return []
    case .foreground: return []
    case .background:
      app = .foreground
      return [.tell(.app, .enterForeground)]
    case .suspended:
      app = .foreground
      return [.resume(.app)] + networkNewsForApp() + [.tell(.app, .enterForeground)]
    case .terminating:
      opensAgain = true
      return []
    }
  }

  mutating func goHome(at now: Instant) -> [PhoneDirective] {
    switch app {
    case .launching:
      app = .launching(intoForeground: false)
      return []
    case .foreground:
      app = .background(BackgroundStay(since: now))
      timesInBackground &+= 1
      return [.tell(.app, .enterBackground)]
    case .terminating:
      opensAgain = false
      return []
    case .notRunning, .background, .suspended: return []
    }
  }

  /// A swipe kills an app in the foreground or suspended without notice; an app in the background is asked to
  /// terminate first.
  mutating func quit(at now: Instant) -> [PhoneDirective] {
    opensAgain = false
    switch app {
    case .foreground, .launching, .suspended: return killApp(.user)
    case .background: return terminateApp(at: now)
    case .notRunning, .terminating: return []
    }
  }

  mutating func terminateApp(at now: Instant) -> [PhoneDirective] {
    switch app {
    case .notRunning, .terminating: return []
    case .launching, .foreground, .background, .suspended:
      let isStopped = app == .suspended
      app = .terminating(.asked, killAt: now + configuration.terminationGrace)
      return (isStopped ? [.resume(.app)] : []) + [.tell(.app, .terminate)]
    }
  }

  /// Sends a message to the app, starting it in the background or resuming it if necessary. The app stays awake
  /// until the assertion is released. Nil if the app is terminating and cannot be reached.
  mutating func wake(
    for message: PhoneMessage, _ reason: LaunchReason, holding assertion: Assertion, at now: Instant
  ) -> [PhoneDirective]? {
    guard !isGoingDown else { return nil }
    switch app {
    case .notRunning:
      app = .launching(intoForeground: false)
      process.keep(message)
      assertions.hold(assertion, at: now)
      return [.launch(.app, reason)]
    case .launching:
      process.keep(message)
      assertions.hold(assertion, at: now)
      return []
    case .foreground, .background:
      assertions.hold(assertion, at: now)
      return [.tell(.app, message)]
    case .suspended:
      app = .background(BackgroundStay(since: now, isDone: true))
      assertions.hold(assertion, at: now)
      return [.resume(.app)] + networkNewsForApp() + [.tell(.app, message)]
    case .terminating: return nil
    }
  }

  mutating func appStarted(at now: Instant) -> [PhoneDirective] {
    switch app {
    case .launching(let intoForeground):
      timesInBackground = 0
      guard intoForeground else {
        // An app that was never in front does not enter the background: iOS tells it nothing.
        app = .background(BackgroundStay(since: now, isDone: true))
        return process.takeMessages()
      }
      app = .foreground
      return [.tell(.app, .enterForeground)] + process.takeMessages()
    // A message or signal sent before the process had started was lost: send it again.
    case .terminating(.killed(let reason), _): return [.kill(.app, reason)]
    case .terminating(.asked, _): return [.tell(.app, .terminate)]
    case .terminating(.found, _): return []
    case .notRunning, .foreground, .background, .suspended: return []
    }
  }

  /// If the user opens the app now, another process starts as soon as this one is gone.
  mutating func appFoundEnding() -> [PhoneDirective] {
    switch app {
    case .foreground, .background, .suspended: app = .terminating(.found, killAt: nil)
    case .notRunning, .launching, .terminating: break
    }
    return []
  }

  /// The user has opened the app while its previous process was found ending.
  public var opensWhenGone: Bool {
    if case .terminating(.found, _) = app { opensAgain } else { false }
  }

  mutating func appEnded(_ end: ProcessEnd) -> [PhoneDirective] {
    let reason: EndReason
    switch app {
    case .notRunning: return []
    case .terminating(let ending, _): reason = ending.reason(for: end, announced: hasAnnouncedEnd(.app))
    case .launching, .foreground, .background, .suspended:
      reason = .unasked(end, announced: hasAnnouncedEnd(.app))
    }
    announcedEnds.removeAll { $0 == .app }
    app = .notRunning
    assertions.releaseAll()
    activities.app.endAll()
    process = AppProcess()
    responses = OpenResponses()
    returnsOnUnlock = false
    let unanswered = endAsksWithApp()
    return [.recordEnd(.app, reason)] + unanswered + openAgainIfWanted()
  }

  mutating func appLaunchFailed() -> [PhoneDirective] {
    switch app {
    case .launching, .terminating:
      app = .notRunning
      assertions.releaseAll()
      responses = OpenResponses()
      _ = process.takeMessages()
      return openAgainIfWanted()
    case .notRunning, .foreground, .background, .suspended: return []
    }
  }

  private mutating func openAgainIfWanted() -> [PhoneDirective] {
    guard opensAgain else { return [] }
    opensAgain = false
    return open()
  }

  var appDeadline: Instant? {
    switch app {
    case .terminating(_, let killAt): killAt
    case .background(let stay): backgroundDeadline(stay)
    case .notRunning, .launching, .foreground, .suspended: nil
    }
  }

  mutating func reachAppDeadline(at now: Instant) -> [PhoneDirective] {
    if case .background(let stay) = app { return reachBackgroundDeadline(stay, at: now) }
    guard case .terminating(.asked, let killAt?) = app, killAt <= now else { return [] }
    return killApp(.graceOver)
  }
}

/// What the phone has sent to the app's process, and what it will send at its start.
struct AppProcess: Hashable, Sendable {
  /// Sent as soon as the process has started.
  private var messages: [PhoneMessage] = []
  /// The network state last sent to the app. A new process assumes that there is a network.
  private var knowsNetwork = true
  /// A memory warning was sent, and the footprint has not fallen below the bound since.
  private(set) var isWarned = false

  mutating func keep(_ message: PhoneMessage) { messages.append(message) }

  mutating func takeMessages() -> [PhoneDirective] {
    defer { messages = [] }
    return messages.map { .tell(.app, $0) }
  }

  mutating func network(isThere: Bool) -> [PhoneDirective] {
    guard knowsNetwork != isThere else { return [] }
    knowsNetwork = isThere
    return [.tell(.app, .network(isThere: isThere))]
  }

  /// The app has no memory limit, only a warning: once, and again only after the footprint has fallen below the
  /// bound. A suspended app gets no warning.
  mutating func memory(_ footprint: UInt64, warnsAbove bound: UInt64, isUsable: Bool) -> [PhoneDirective] {
    guard footprint > bound else {
      isWarned = false
      return []
    }
    guard isUsable, !isWarned else { return [] }
    isWarned = true
    return [.tell(.app, .memoryWarning(footprintBytes: footprint))]
  }
}
