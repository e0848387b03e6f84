import CoreShape

// The app's life: the person decides most of it.
extension Phone {
  mutating func open() -> [PhoneDirective] {
    guard !isGoingDown else { return [] }
    switch app {
    case .notRunning:
      app = .launching(intoForeground: true)
      return [.launch(.app, .person)]
    case .launching:
      app = .launching(intoForeground: true)
      return []
    case .foreground: return []
    case .background:
      app = .foreground
      return [.tell(.app, .enterForeground)]
    case .terminating:
      opensAgain = true
      return []
    }
  }

  mutating func goHome() -> [PhoneDirective] {
    switch app {
    case .launching:
      app = .launching(intoForeground: false)
      return []
    case .foreground:
      app = .background(isDone: false)
      return [.tell(.app, .enterBackground)]
    case .terminating:
      opensAgain = false
      return []
    case .notRunning, .background: return []
    }
  }

  /// A swipe gives an app in front no word of warning; one in the background is asked first.
  mutating func quit(at now: Instant) -> [PhoneDirective] {
    opensAgain = false
    switch app {
    case .foreground, .launching:
      app = .terminating(.killed(.person), killAt: nil)
      return [.kill(.app, .person)]
    case .background: return terminateApp(at: now)
    case .notRunning, .terminating: return []
    }
  }

  mutating func terminateApp(at now: Instant) -> [PhoneDirective] {
    switch app {
    case .notRunning, .terminating: return []
    case .launching, .foreground, .background:
      app = .terminating(.asked, killAt: now + configuration.terminationGrace)
      return [.tell(.app, .terminate)]
    }
  }

  mutating func appStarted() -> [PhoneDirective] {
    switch app {
    case .launching(let intoForeground):
      app = intoForeground ? .foreground : .background(isDone: false)
      return [.tell(.app, intoForeground ? .enterForeground : .enterBackground)]
    // What was said or sent while it had not started yet found nobody.
    case .terminating(.killed(let reason), _): return [.kill(.app, reason)]
    case .terminating(.asked, _): return [.tell(.app, .terminate)]
    case .notRunning, .foreground, .background: return []
    }
  }

  mutating func appEnded(_ end: ProcessEnd) -> [PhoneDirective] {
    let reason: EndReason
    switch app {
    case .notRunning: return []
    case .terminating(let ending, _): reason = ending.reason(for: end)
    case .launching, .foreground, .background: reason = .unasked(end)
    }
    app = .notRunning
    let unanswered = invoices.map { PhoneDirective.failInvoice(request: $0.request, .appEnded) }
    invoices = []
    return [.recordEnd(.app, reason)] + unanswered + openAgainIfWanted()
  }

  mutating func appLaunchFailed() -> [PhoneDirective] {
    switch app {
    case .launching, .terminating:
      app = .notRunning
      return openAgainIfWanted()
    case .notRunning, .foreground, .background: return []
    }
  }

  private mutating func openAgainIfWanted() -> [PhoneDirective] {
    guard opensAgain else { return [] }
    opensAgain = false
    return open()
  }

  mutating func reachAppDeadline(at now: Instant) -> [PhoneDirective] {
    guard case .terminating(.asked, let killAt?) = app, killAt <= now else { return [] }
    app = .terminating(.killed(.graceOver), killAt: nil)
    return [.kill(.app, .graceOver)]
  }
}
