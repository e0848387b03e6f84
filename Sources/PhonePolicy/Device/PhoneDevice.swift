import CoreShape

// What a change of the phone itself means for what runs on it.
extension Phone {
  /// A change that changes nothing is none: it is written down nowhere.
  mutating func deviceChanged(_ change: DeviceChange) -> [PhoneDirective] {
    let before = device
    device.apply(change)
    guard device != before else { return [] }
    let saved = [PhoneDirective.saveDevice(device)]
    switch change {
    case .locked:
      // The screen goes dark: what was in front is in the background, and in front again when the person is back.
      guard !isGoingDown, isInFrontOrComing else { return saved }
      returnsOnUnlock = true
      return saved + goHome()
    case .unlocked:
      defer { returnsOnUnlock = false }
      return saved + (returnsOnUnlock && app.isAlive ? open() : [])
    default: return saved
    }
  }

  /// Nobody touches an app behind a locked screen: a thumb on it has unlocked the phone.
  mutating func unlockForPerson() -> [PhoneDirective] {
    guard !isGoingDown, device.isLocked else { return [] }
    returnsOnUnlock = false
    device.apply(.unlocked)
    return [.saveDevice(device)]
  }

  private var isInFrontOrComing: Bool {
    switch app {
    case .foreground, .launching(intoForeground: true): true
    case .launching, .background, .notRunning, .terminating: false
    }
  }
}

extension AppState {
  /// It runs, or soon will, and is not on its way out.
  fileprivate var isAlive: Bool {
    switch self {
    case .launching, .foreground, .background: true
    case .notRunning, .terminating: false
    }
  }
}
