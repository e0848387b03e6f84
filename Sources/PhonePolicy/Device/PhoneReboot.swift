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
    case .launching, .idle, .serving, .suspended, .ending(.asked, _, _):
      service = .ending(.killed(.reboot), service.current, killAt: nil)
      return [.kill(.extension, .reboot)]
    }
  }

  /// A push without a notification yet was only in memory.
  func loseInReboot(_ push: UInt64) -> [PhoneDirective] {
    [.recordFate(push: push, .dropped(.reboot)), .drop(push: push)]
  }

  /// Events that have no effect, or wait, while the phone is off. Nil: the event is handled normally.
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

  /// The reboot ends when the last process is gone.
  mutating func finishReboot(at now: Instant) -> [PhoneDirective] {
    guard let reboot = rebooting, app == .notRunning, service == .notRunning else { return [] }
    rebooting = nil
    silent.forgetAll()
    tasks.forgetUse()
    device = device.afterReboot
    // Unlock before the waiting pushes are routed, so they see the same state as later ones.
    if reboot.unlocks { device.apply(.unlocked) }
    return [.boot(losingBeats: reboot.losesBeats), .saveDevice(device)]
      + reboot.arrived.flatMap { route($0, at: now) }
  }
}
