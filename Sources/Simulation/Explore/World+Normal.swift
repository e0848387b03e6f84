import CoreShape
import Guardrails
import Heartbeat
import Lightning
import PhonePolicy

// Two worlds that go on in the same way should be the same value.
extension World {
  /// Moves everything so that it is now zero o'clock, and forgets what makes no difference any more. Afterwards the
  /// world is not to be changed in place any more.
  mutating func normalise() {
    if now != .zero || peerNow != .zero { shift() }
    forgetTheDead()
    forgetOldBeats()
    renumberBeats()
    lockReplacedAt = lockReplacedAt.flatMap { now - $0 < Self.lockHealsWithin ? $0 : nil }
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.normalise(at: now)
    }
    if !peer.isSealed { peer.value.forgetLongAgo(at: peerNow) }
    letters = letters.filter { $0.to == .app } + letters.filter { $0.to == .extension }
    deliveredEvents = 0
    connecting = Waits()
    settling = Waits()
    openedAt = nil
    lives.app?.seal()
    lives.notifier?.seal()
    container.seal()
    peer.seal()
    oldCopy?.seal()
  }

  /// Of processes that are gone it matters only that they are.
  private mutating func forgetTheDead() {
    let nobody = ProcessIdentity(pid: 9, startTime: 9, boot: BootID(high: 0, low: 0))
    if let row = container.value.row, lives[row.role]?.value.identity != row.process, row.process != nobody {
      container.value.row?.process = nobody
    }
    for index in wires.indices where wires[index].isAbandoned { wires[index].owner = nobody.pid }
  }

  /// The age rule reads any beat of the row's epoch; nobody reads another one, nor the last.
  private mutating func forgetOldBeats() {
    guard oldCopy == nil else { return }
    for role in [Role.app, .extension] {
      guard let beat = container.value.beats[role] else { continue }
      if beat.epoch != container.value.row?.epoch || beat.phase == .released { container.value.beats[role] = nil }
    }
  }

  /// A beat that was seen, one that was not, and those to come: that is all that a number tells.
  private mutating func renumberBeats() {
    guard let row = container.value.row, let seen = container.value.beats[row.role]?.counter else { return }
    func number(_ counter: UInt64) -> UInt64 { counter < seen ? 0 : counter - seen + 1 }
    if seen != 1 { container.value.beats[row.role]?.counter = 1 }
    for role in [Role.app, .extension] where seen != 1 || lives[role]?.isSealed == false {
      lives[role]?.value.renumberBeats(ofEpoch: row.epoch, number)
    }
  }

  private mutating func shift() {
    let span = Instant.zero - now
    for role in [Role.app, .extension] { lives[role]?.value.shift(by: span) }
    phone.shift(by: span)
    peer.value.shift(by: .zero - peerNow)
    lockReplacedAt.shift(by: span)
    if settings.guardConfiguration.takeover == .waitStale {
      for role in [Role.app, .extension] {
        container.value.beats[role].shift(by: span)
        // Long stale is stale.
        if let beat = container.value.beats[role] {
          container.value.beats[role]?.bootClock = max(beat.bootClock, .zero + Self.longStale)
        }
      }
    }
    now = .zero
    peerNow = .zero
    for index in payments.indices { payments[index].madeAt = .zero }
  }

  private static let longStale = Span.seconds(-10)
}

extension Life {
  mutating func shift(by span: Span) {
    guardValue.shift(by: span)
    node.shift(by: span)
    for index in guardQueue.indices { guardQueue[index].shift(by: span) }
    runningSince.shift(by: span)
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    guardValue.renumberBeats(ofEpoch: epoch, number)
    for index in guardTodo.indices {
      if case .beat(epoch, let phase, let counter) = guardTodo[index] {
        guardTodo[index] = .beat(epoch: epoch, phase: phase, counter: number(counter))
      }
    }
    for index in guardQueue.indices {
      if case .observed(var observation) = guardQueue[index], let beat = observation.beat, beat.epoch == epoch {
        observation.beat?.counter = number(beat.counter)
        guardQueue[index] = .observed(observation)
      }
    }
  }

  mutating func normalise(at now: Instant) {
    node.forgetLongAgo(at: now)
    runningSince = max(runningSince, now + Self.longEnough)
    if posted.isEmpty { nodeStarts = min(nodeStarts, 1) }
  }

  /// Nobody asks whether it has run for longer.
  private static let longEnough = Span(nanoseconds: -World.healthyAfter.nanoseconds - 1)
}

extension GuardValue: Shiftable {
  public mutating func shift(by span: Span) { change({ $0.shift(by: span) }, { $0.shift(by: span) }) }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    change({ $0.renumberBeats(ofEpoch: epoch, number) }, { $0.renumberBeats(ofEpoch: epoch, number) })
  }

  private mutating func change(
    _ app: (inout AppMachine) -> Void, _ notifier: (inout ExtensionMachine) -> Void
  ) {
    switch self {
    case .app(var machine):
      self = .none
      app(&machine)
      self = .app(machine)
    case .notifier(var machine):
      self = .none
      notifier(&machine)
      self = .notifier(machine)
    case .none: break
    }
  }
}

extension GuardEvent: Shiftable {
  public mutating func shift(by span: Span) {
    guard case .observed(var observation) = self else { return }
    observation.bootClock.shift(by: span)
    observation.beat.shift(by: span)
    self = .observed(observation)
  }
}

extension Beat: Shiftable {
  public mutating func shift(by span: Span) { bootClock.shift(by: span) }
}
