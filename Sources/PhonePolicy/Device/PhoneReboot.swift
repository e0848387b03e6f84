import Ground

// A reboot kills both processes at once; the phone then starts with a locked screen.
extension Phone {
  mutating func reboot(losingBeats: Bool, unlocking: Bool) -> [PhoneDirective] {
    guard !isGoingDown else { return [] }
    rebooting = Reboot(losesBeats: losingBeats, unlocks: unlocking)
    opensAgain = false
    returnsOnUnlock = false
    let lost = queue.map(\.id) + (silent.loseWaiting().map { [$0] } ?? [])
    queue = []
    return lost.map { .recordFate(push: $0, .dropped(.reboot)) } + killAppForReboot()
      + killExtensionForReboot()
  }

  private mutating func killAppForReboot() -> [PhoneDirective] {
    switch app {
    case .notRunning, .terminating(.killed, _), .terminating(.found, _): return []
    case .launching, .foreground, .background, .suspended, .terminating(.asked, _): return killApp(.reboot)
    }
  }

  private mutating func killExtensionForReboot() -> [PhoneDirective] {
    switch service {
    case .notRunning, .ending(.killed, _, _), .ending(.found, _, _): return []
    case .launching, .idle, .serving, .suspended, .ending(.asked, _, _): return killExtension(.reboot)
    }
  }

  /// Events that have no effect, or wait, while the phone is off. Nil: the event is handled normally.
  func reactWhileOff(to event: PhoneEvent) -> [PhoneDirective]? {
    guard rebooting != nil else { return nil }
    switch event {
    case .userOpened, .userWentHome, .userQuit, .notificationTouched, .deviceChanged(.locked),
      .deviceChanged(.unlocked), .rebooted:
      return []
    default: return nil
    }
  }

  /// The reboot ends when the last process is gone.
  mutating func finishReboot() -> [PhoneDirective] {
    guard let reboot = rebooting, app == .notRunning, service == .notRunning else { return [] }
    rebooting = nil
    silent.forgetAll()
    tasks.forgetUse()
    device = device.afterReboot
    // Unlock before the stored push is delivered, so it sees the same state as later ones.
    if reboot.unlocks { device.apply(.unlocked) }
    return [.boot(losingBeats: reboot.losesBeats), .saveDevice(device)]
  }
}
