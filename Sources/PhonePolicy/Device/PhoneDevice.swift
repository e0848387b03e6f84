import Ground

// What a change of the phone itself means for what runs on it.
extension Phone {
  /// A change that changes nothing is none: it is written down nowhere.
  mutating func deviceChanged(_ change: DeviceChange, at now: Instant) -> [PhoneDirective] {
    let before = device
    device.apply(change)
    guard device != before else { return [] }
    let saved = [PhoneDirective.saveDevice(device)]
    switch change {
    case .locked:
      // The screen goes dark: what was in front is in the background, and in front again when the user is back.
      guard !isGoingDown, isInFrontOrComing else { return saved }
      returnsOnUnlock = true
      return saved + goHome(at: now)
    case .unlocked:
      defer { returnsOnUnlock = false }
      return saved + (returnsOnUnlock && app.isAlive ? open() : [])
    case .network(let isThere): return saved + networkChanged(isThere: isThere)
    default: return saved
    }
  }

  /// Connections end with the network, whether anybody listens or not.
  private mutating func networkChanged(isThere: Bool) -> [PhoneDirective] {
    let running = Role.allCases.filter(isRunning)
    return (isThere ? [] : running.map { .endConnections($0) })
      + (running.contains(.app) ? networkNewsForApp() : [])
      + (running.contains(.extension) ? [.tell(.extension, .network(isThere: isThere))] : [])
  }

  /// What the app has to know before anything else, when it starts and when it goes on: nobody is told who is stopped.
  mutating func networkNewsForApp() -> [PhoneDirective] {
    app == .suspended ? [] : process.network(isThere: device.hasNetwork)
  }

  /// A process that starts believes that there is a network.
  func networkNewsForExtension() -> [PhoneDirective] {
    device.hasNetwork ? [] : [.tell(.extension, .network(isThere: false))]
  }

  private func isRunning(_ role: Role) -> Bool {
    switch role {
    case .app: app.stage != .notRunning && app.stage != .launching
    case .extension: service.stage != .notRunning && service.stage != .launching
    }
  }

  /// Nobody touches an app behind a locked screen: a thumb on it has unlocked the phone.
  mutating func unlockForUser() -> [PhoneDirective] {
    guard !isGoingDown, device.isLocked else { return [] }
    returnsOnUnlock = false
    device.apply(.unlocked)
    return [.saveDevice(device)]
  }

  private var isInFrontOrComing: Bool {
    switch app {
    case .foreground, .launching(intoForeground: true): true
    case .launching, .background, .suspended, .notRunning, .terminating: false
    }
  }
}

extension AppState {
  /// It runs, or soon will, and is not on its way out.
  fileprivate var isAlive: Bool {
    switch self {
    case .launching, .foreground, .background, .suspended: true
    case .notRunning, .terminating: false
    }
  }
}
