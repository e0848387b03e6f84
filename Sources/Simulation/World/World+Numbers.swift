import Ground
import Guardrails

// What an explorer forgets of numbers and stamps, so that the same situation is the same value.
extension World {
  /// Of a process that is gone it matters only that it is: its number is given to another one.
  mutating func forgetNumber(of process: ProcessIdentity) {
    guard settings.reusesNumbers else { return }
    let nobody = ProcessIdentity(pid: 9, startTime: 9, boot: BootID(high: 0, low: 0))
    if container.value.row?.process == process { container.value.row?.process = nobody }
    for role in [Role.app, .extension] where container.value.beats[role]?.process == process {
      container.value.beats[role]?.process = nobody
    }
    wires.forget(process.pid, for: nobody.pid)
  }

  /// What a beat and a look carry of the clock: only the age rule asks for it.
  var stamp: Instant {
    if others != nil { return clock.wallNow }
    return asksForAge || !settings.reusesNumbers ? now : .zero
  }

  /// Whether somebody compares stamps with a clock.
  var asksForAge: Bool { settings.guardConfiguration.takeover == .waitStale || others != nil }
}
