import Ground
import Guardrails

// Drops numbers and stamps that make no difference, so that equal situations are equal values for the explorer.
extension World {
  /// Replaces the identity of an ended process by `placeholder`, as its pid is reused.
  mutating func forgetNumber(of process: ProcessIdentity) {
    guard settings.reusesNumbers else { return }
    let placeholder = ProcessIdentity(pid: 9, startTime: 9, boot: BootID(high: 0, low: 0))
    if container.value.row?.process == process { container.value.row?.process = placeholder }
    for role in [Role.app, .extension] where container.value.beats[role]?.process == process {
      container.value.beats[role]?.process = placeholder
    }
    wires.forget(process.pid, for: placeholder.pid)
  }

  /// Called before each push: the peer announces a payment that the app has not received each hour, for ever.
  mutating func forgetEndedPushes() {
    guard settings.reusesNumbers, tellsOnly, otherDevice == nil, phoneEvents.isEmpty,
      lives.notifier == nil, phone.service == .notRunning, phone.queue.isEmpty, phone.silent.areOver,
      lives.app?.part({ $0.pointee.knowsNoPush }) ?? true
    else { return }
    pushing.forgetEnded()
    if pushing.isEmpty { numbers.forgetPushes() }
  }

  /// The clock in beats and looks. Zero unless stamps are compared, so that it does not distinguish states.
  var stamp: Instant { asksForAge || !settings.reusesNumbers ? now : .zero }

  /// Whether a takeover rule compares stamps with a clock.
  var asksForAge: Bool { settings.guardConfiguration.takeover == .waitStale || exclusion != nil }
}
