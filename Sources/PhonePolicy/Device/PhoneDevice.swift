import Ground

// What a change of the device means for the two processes.
extension Phone {
  /// A change without an effect is not recorded.
  mutating func deviceChanged(_ change: DeviceChange, at now: Instant) -> [PhoneDirective] {
    let before = device
    device.apply(change)
    guard device != before else { return [] }
    let saved = [PhoneDirective.saveDevice(device)]
    switch change {
    case .locked:
      // Locking sends the app to the background; unlocking brings it back.
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

  /// Connections end with the network, whether or not a process reads the message.
  private mutating func networkChanged(isThere: Bool) -> [PhoneDirective] {
    let running = Role.allCases.filter(isRunning)
    return (isThere ? [] : running.map { .endConnections($0) })
      + (running.contains(.app) ? networkNewsForApp() : [])
      + (running.contains(.extension) ? [.tell(.extension, .network(isThere: isThere))] : [])
  }

  /// The network state is the app's first message at its start and when it resumes. A suspended, killed or exiting app
  /// gets no message.
  mutating func networkNewsForApp() -> [PhoneDirective] {
    switch app {
    case .suspended, .terminating(.killed, _), .terminating(.found, _): []
    default: process.network(isThere: device.hasNetwork)
    }
  }

  /// A new process assumes that there is a network.
  func networkNewsForExtension() -> [PhoneDirective] {
    device.hasNetwork ? [] : [.tell(.extension, .network(isThere: false))]
  }

  private func isRunning(_ role: Role) -> Bool {
    switch role {
    case .app: app.stage != .notRunning && app.stage != .launching
    case .extension: service.stage != .notRunning && service.stage != .launching
    }
  }

  /// User input on the app implies that the user has unlocked the phone.
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
  /// It runs or is starting, and is not terminating.
  fileprivate var isAlive: Bool {
    switch self {
    case .launching, .foreground, .background, .suspended: true
    case .notRunning, .terminating: false
    }
  }
}
