import Ground
import Heartbeat
import PhonePolicy

@testable import Guardrails

let boot = BootID(high: 1, low: 2)

func seconds(_ count: Double) -> Instant { Instant(nanoseconds: Int64((count * 1000).rounded()) * 1_000_000) }

func row(_ epoch: Epoch, _ role: Role) -> ClaimRow {
  ClaimRow(
    epoch: epoch, role: role, process: process(role), incarnation: epoch,
    container: ContainerID(high: 3, low: 4))
}

func process(_ role: Role) -> ProcessIdentity {
  ProcessIdentity(pid: role == .app ? 100 : 200, startTime: 1, boot: boot)
}

func beat(epoch: Epoch, counter: UInt64, at stamp: Instant = seconds(0)) -> Beat {
  Beat(
    role: .extension, epoch: epoch, phase: .established, counter: counter, process: process(.extension),
    bootClock: stamp, wallClockNanoseconds: 0)
}

/// The result of a look at the container.
func seen(_ row: ClaimRow, lockIsBusy: Bool, beat: Beat? = nil) -> GuardEvent {
  .observed(
    Observation(
      row: row, holderLockIsBusy: lockIsBusy, beat: beat, appWantsNode: false, boot: boot,
      bootClock: seconds(0)))
}

/// A machine of the pair and its clock.
struct Process<Machine: GuardMachine> {
  private(set) var machine = Machine(configuration: GuardConfiguration())
  private(set) var shown: [String] = []

  mutating func hears(_ events: GuardEvent..., at second: Double = 0) -> [GuardDirective] {
    var directives: [GuardDirective] = []
    for event in events { directives += machine.handle(event, at: seconds(second)) }
    for case .show(let status) in directives { shown.append(status.text) }
    return directives
  }

  /// The instants of its beats until `second`, while it owns the row.
  mutating func beats(until second: Double, epoch: Epoch) -> [Instant] {
    var beats: [Instant] = []
    while let next = machine.deadline, next <= seconds(second) {
      var directives = machine.handle(.deadlineReached, at: next)
      if directives.contains(.readRow) {
        directives += machine.handle(.rowRead(row(epoch, Machine.role), appWantsNode: false), at: next)
      }
      for case .beat in directives { beats.append(next) }
    }
    return beats
  }
}

extension Process where Machine == ExtensionMachine {
  /// Serves a push, has claimed this epoch, and is dialling.
  static func dialling(_ epoch: Epoch) -> Process {
    var notifier = Process()
    _ = notifier.hears(.launched, .pushArrived(Push(id: 1, reason: .incomingPayment, paymentHash: .zero)))
    _ = notifier.hears(seen(row(epoch - 1, .app), lockIsBusy: false))
    _ = notifier.hears(
      .claimed(Claim(epoch: epoch, incarnation: epoch, container: ContainerID(high: 3, low: 4))))
    return notifier
  }

  static func connected(_ epoch: Epoch) -> Process {
    var notifier = dialling(epoch)
    let owned = GuardEvent.rowRead(row(epoch, .extension), appWantsNode: false)
    _ = notifier.hears(.node(.connecting), owned, .node(.established), owned)
    return notifier
  }
}

extension Process where Machine == AppMachine {
  static func inFront() -> Process {
    var app = Process()
    _ = app.hears(.launched, .enteredForeground)
    return app
  }
}

let received = NotificationText(title: "Received payment", body: "+5 sat")

/// The phone's core with its clock.
struct PhoneInHand {
  private(set) var phone = Phone(configuration: PhoneConfiguration())
  var now = seconds(1)

  mutating func callAsFunction(_ event: PhoneEvent) -> [PhoneDirective] { phone.handle(event, at: now) }

  mutating func opensApp() {
    _ = self(.userOpened)
    _ = self(.processStarted(.app, pid: 8))
  }

  mutating func getsPush(_ id: UInt64 = 1, alert: Bool = true, mutable: Bool = true) -> [PhoneDirective] {
    let text = alert ? NotificationText(title: "Push", body: "as it was sent") : nil
    return self(.pushArrived(PhonePush(id: id, alert: text, hasMutableContent: mutable)))
  }

  mutating func servesPush() {
    _ = getsPush()
    _ = self(.processStarted(.extension, pid: 9))
    _ = self(.helloSaid(.extension))
  }

  /// Advances to the phone's next deadline.
  mutating func waits() -> [PhoneDirective] {
    now = max(now, phone.deadline ?? now)
    return self(.deadlineReached)
  }
}
