import Ground
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
    if asksForAge { forgetOldStamps() }
    forgetOldBeats()
    renumberBeats()
    lockReplacedAt = lockReplacedAt.flatMap { now - $0 < Self.lockHealsWithin ? $0 : nil }
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.normalise(at: now)
    }
    if !peer.isSealed { peer.value.forgetLongAgo(at: peerNow) }
    sortLetters()
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

  /// By their reader: the order of letters to different readers says nothing.
  mutating func sortLetters() {
    letters = letters.filter { $0.to == .app } + letters.filter { $0.to == .extension }
  }

  /// The age rule reads any beat of the row's epoch; nobody reads another one, nor the last.
  private mutating func forgetOldBeats() {
    guard oldCopy == nil, settings.coordination == .baton else { return }
    for role in [Role.app, .extension] {
      guard let beat = container.value.beats[role] else { continue }
      if beat.epoch != container.value.row?.epoch || beat.phase == .released {
        container.value.beats[role] = nil
      }
    }
  }

  /// A beat that was seen, one that was not, and those to come: that is all that a number tells.
  private mutating func renumberBeats() {
    guard let row = container.value.row else { return }
    let written = container.value.beats[row.role]?.counter
    // Without either nobody will ever beat under this epoch again.
    let seen = written ?? lives[row.role]?.value.guardValue.beatCounter(ofEpoch: row.epoch) ?? .max
    func number(_ counter: UInt64) -> UInt64 { counter < seen ? 0 : counter - seen + 1 }
    let hasContainerChanged = !container.isSealed
    if written != nil, seen != 1 { container.value.beats[row.role]?.counter = 1 }
    for role in [Role.app, .extension]
    where hasContainerChanged || seen != 1 || lives[role]?.isSealed == false {
      lives[role]?.value.renumberBeats(ofEpoch: row.epoch, number)
    }
  }

  private mutating func shift() {
    let span = Instant.zero - now
    let asksForAge = asksForAge
    for role in [Role.app, .extension] { lives[role]?.value.shift(by: span, withStamps: asksForAge) }
    phone.shift(by: span)
    peer.value.shift(by: .zero - peerNow)
    for index in container.part({ $0.pointee.waits.indices }) {
      container.value.waits[index].since.shift(by: .zero - peerNow)
    }
    lockReplacedAt.shift(by: span)
    if asksForAge {
      for role in [Role.app, .extension] { container.value.beats[role].shift(by: span) }
      container.value.lease.shift(by: span)
    }
    waitsSince.shift(by: span)
    now = .zero
    peerNow = .zero
    for index in payments.indices { payments[index].madeAt = .zero }
  }

  /// Long stale is stale.
  private mutating func forgetOldStamps() {
    let longStale = wallNow + TimeSpan(nanoseconds: -settings.coordination.longestMemory.nanoseconds)
    func isOlder(_ beat: Beat?) -> Bool { beat.map { $0.bootClock < longStale } ?? false }
    for role in [Role.app, .extension] where isOlder(container.part({ $0.pointee.beats[role] })) {
      container.value.beats[role]?.bootClock = longStale
    }
    if isOlder(container.part({ $0.pointee.lease })) { container.value.lease?.bootClock = longStale }
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.forgetOldStamps(settings.coordination.longestMemory)
    }
  }
}

extension Life {
  /// Stamps only where somebody asks how old they are.
  mutating func shift(by span: TimeSpan, withStamps: Bool) {
    guardValue.shift(by: span)
    node.shift(by: span)
    if withStamps { for index in guardQueue.indices { guardQueue[index].shift(by: span) } }
    runningSince.shift(by: span)
    background.shift(by: span)
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    guardValue.renumberBeats(ofEpoch: epoch, number)
    for index in guardTodo.indices {
      guard case .beat(let own, let phase, let counter) = guardTodo[index] else { continue }
      guardTodo[index] = .beat(epoch: own, phase: phase, counter: own == epoch ? number(counter) : 0)
    }
    for index in guardQueue.indices {
      guard case .observed(var observation) = guardQueue[index], let beat = observation.beat else { continue }
      if beat.epoch == epoch { observation.beat?.counter = number(beat.counter) }
      guardQueue[index] = .observed(observation)
    }
  }

  /// Also in what it has seen and not read yet: long stale as of then.
  mutating func forgetOldStamps(_ memory: TimeSpan) {
    for index in guardQueue.indices {
      guard case .observed(var observation) = guardQueue[index], let beat = observation.beat else { continue }
      let longStale = observation.bootClock + TimeSpan(nanoseconds: -memory.nanoseconds)
      observation.beat?.bootClock = max(beat.bootClock, longStale)
      guardQueue[index] = .observed(observation)
    }
  }

  mutating func normalise(at now: Instant) {
    forgetOldBeats()
    node.forgetLongAgo(at: now)
    runningSince = max(runningSince, now + Self.longEnough)
    // News are of this start of the node, or of an earlier one.
    let starts = min(nodeStarts, 1)
    for index in posted.indices where posted[index].nodeStarts != nil {
      posted[index].nodeStarts = posted[index].nodeStarts == nodeStarts ? starts : 0
    }
    nodeStarts = starts
  }

  /// The last beat of an epoch is not counted, a beat that is not the row's is not asked for, and the reason of a claim,
  /// which such a beat may tell, decides nothing.
  private mutating func forgetOldBeats() {
    for index in guardTodo.indices {
      switch guardTodo[index] {
      case .beat(let epoch, .released, _):
        guardTodo[index] = .beat(epoch: epoch, phase: .released, counter: 0)
      case .claim(let seen, _): guardTodo[index] = .claim(seen: seen, reason: .holderGone)
      default: break
      }
    }
    for index in guardQueue.indices {
      guard case .observed(var observation) = guardQueue[index], let beat = observation.beat else { continue }
      if let row = observation.row, beat.epoch != row.epoch || beat.phase == .released {
        observation.beat = nil
      }
      guardQueue[index] = .observed(observation)
    }
  }

  /// Nobody asks whether it has run for longer.
  private static let longEnough = TimeSpan(nanoseconds: -World.healthyAfter.nanoseconds - 1)
}

extension GuardValue: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    guard case .other(var guardrail) = self else {
      return change({ $0.shift(by: span) }, { $0.shift(by: span) })
    }
    self = .none
    guardrail.shift(by: span)
    self = .other(guardrail)
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    change({ $0.renumberBeats(ofEpoch: epoch, number) }, { $0.renumberBeats(ofEpoch: epoch, number) })
  }

  func beatCounter(ofEpoch epoch: Epoch) -> UInt64? {
    switch self {
    case .app(let machine): machine.beatCounter(ofEpoch: epoch)
    case .notifier(let machine): machine.beatCounter(ofEpoch: epoch)
    case .other, .none: nil
    }
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
    case .other, .none: break
    }
  }
}

extension GuardEvent: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    guard case .observed(var observation) = self else { return }
    observation.bootClock.shift(by: span)
    observation.beat.shift(by: span)
    self = .observed(observation)
  }
}

extension Beat: Shiftable {
  public mutating func shift(by span: TimeSpan) { bootClock.shift(by: span) }
}
