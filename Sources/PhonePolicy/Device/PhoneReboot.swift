import Ground

// The phone reboots: both processes are gone at once, and all begins anew behind a locked screen.
extension Phone {
  mutating func reboot(losingBeats: Bool, unlocking: Bool) -> [PhoneDirective] {
    guard !isGoingDown else { return [] }
    rebooting = Reboot(losesBeats: losingBeats, unlocks: unlocking)
    opensAgain = false
    returnsOnUnlock = false
    let lost = queue.map(\.id) + (silent.loseWaiting().map { [$0] } ?? [])
    queue = []
    return lost.flatMap(loseInReboot) + killAppForReboot() + killExtensionForReboot()
  }

  private mutating func killAppForReboot() -> [PhoneDirective] {
    switch app {
    case .notRunning, .terminating(.killed, _), .terminating(.found, _): return []
    case .launching, .foreground, .background, .suspended, .terminating(.asked, _):
      app = .terminating(.killed(.reboot), killAt: nil)
      return [.kill(.app, .reboot)]
    }
  }

  private mutating func killExtensionForReboot() -> [PhoneDirective] {
    switch service {
    case .notRunning, .ending(.killed, _, _), .ending(.found, _, _): return []
    case .launching, .idle, .serving, .ending(.asked, _, _):
      service = .ending(.killed(.reboot), service.current, killAt: nil)
      return [.kill(.extension, .reboot)]
    }
  }

  /// A push that had not become a notification yet was in memory alone.
  func loseInReboot(_ push: UInt64) -> [PhoneDirective] {
    [.recordFate(push: push, .dropped(.reboot)), .drop(push: push)]
  }

  /// What only a phone that is on takes notice of. Nil: it is dealt with as ever.
  mutating func reactWhileOff(to event: PhoneEvent) -> [PhoneDirective]? {
    guard var reboot = rebooting else { return nil }
    switch event {
    case .userOpened, .userWentHome, .userQuit, .notificationTouched, .deviceChanged(.locked),
      .deviceChanged(.unlocked), .rebooted:
      return []
    case .pushArrived(let push):
      guard reboot.arrived.count < Self.waitingPushesMax else { return loseInReboot(push.id) }
      reboot.arrived.append(push)
      rebooting = reboot
      return []
    default: return nil
    }
  }

  /// It is on again when the last process is gone.
  mutating func finishReboot(at now: Instant) -> [PhoneDirective] {
    guard let reboot = rebooting, app == .notRunning, service == .notRunning else { return [] }
    rebooting = nil
    silent.forgetAll()
    tasks.forgetUse()
    device = device.afterReboot
    // Before anything that came meanwhile is looked at: a push of that moment finds the phone as the next one does.
    if reboot.unlocks { device.apply(.unlocked) }
    return [.boot(losingBeats: reboot.losesBeats), .saveDevice(device)]
      + reboot.arrived.flatMap { route($0, at: now) }
  }
}
