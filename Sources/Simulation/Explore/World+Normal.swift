import Ground
import Guardrails
import Heartbeat
import PhonePolicy
import Wallet

// Worlds that behave alike should be equal values.
extension World {
  /// Shifts all instants so that now is zero, and drops what no longer makes a difference. Seals the parts, so do not
  /// change the world in place afterwards.
  mutating func normalise() {
    let span = Instant.zero - peerNow
    normaliseDevice(span)
    onOtherDevice { $0.normaliseDevice(span) }
    if span != .zero {
      peer.value.shift(by: span)
      invoicing.startAnew()
      clock.startPeerAnew()
    }
    if !peer.isSealed { peer.value.forgetLongAgo(at: peerNow) }
    deliveredEvents = 0
    settling = Waits()
    peer.seal()
    otherDevice?.seal()
  }

  private mutating func normaliseDevice(_ peerSpan: TimeSpan) {
    if now != .zero || peerSpan != .zero { shift(peerSpan) }
    if asksForAge { forgetOldStamps() }
    forgetOldBeats()
    renumberBeats()
    lockReplacedAt = lockReplacedAt.flatMap { now - $0 < Self.lockHealsWithin ? $0 : nil }
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.normalise(at: clock.now)
    }
    sortPresenceQueue()
    if let until = storage.incomingBlockedUntil, until <= now { storage.incomingBlockedUntil = nil }
    moving.forgetOld(at: now)
    opening = WorldOpening()
    lives.app?.seal()
    lives.notifier?.seal()
    container.seal()
    copies.seal()
  }

  /// By reader: the order of messages to different readers makes no difference.
  mutating func sortPresenceQueue() {
    presenceQueue = presenceQueue.filter { $0.to == .app } + presenceQueue.filter { $0.to == .extension }
  }

  /// Drops beats that no rule reads: those of another epoch, and the last one (`released`).
  private mutating func forgetOldBeats() {
    guard copies.kept == nil, let epoch = container.part({ $0.pointee.row?.epoch }) else { return }
    for role in [Role.app, .extension] {
      guard let beat = container.value.beats[role] else { continue }
      if beat.epoch != epoch || beat.phase == .released { container.value.beats[role] = nil }
    }
  }

  /// Reduces counters to: seen (0), the newest one (1), later ones (2…).
  private mutating func renumberBeats() {
    guard let row = container.value.row else { return }
    let written = container.value.beats[row.role]?.counter
    // Without either there is no further beat under this epoch.
    let seen = written ?? lives[row.role]?.value.wallet.guardrail.beatCounter(ofEpoch: row.epoch) ?? .max
    func number(_ counter: UInt64) -> UInt64 { counter < seen ? 0 : counter - seen + 1 }
    let hasContainerChanged = !container.isSealed
    if written != nil, seen != 1 { container.value.beats[row.role]?.counter = 1 }
    for role in [Role.app, .extension]
    where hasContainerChanged || seen != 1 || lives[role]?.isSealed == false {
      lives[role]?.value.renumberBeats(ofEpoch: row.epoch, number)
    }
  }

  private mutating func shift(_ peerSpan: TimeSpan) {
    let span = Instant.zero - now
    let asksForAge = asksForAge
    for role in [Role.app, .extension] { lives[role]?.value.shift(by: span, withStamps: asksForAge) }
    phone.shift(by: span)
    for index in container.part({ $0.pointee.waits.indices }) {
      container.value.waits[index].since.shift(by: peerSpan)
    }
    lockReplacedAt.shift(by: span)
    storage.incomingBlockedUntil.shift(by: span)
    moving.endsAt.shift(by: span)
    if asksForAge {
      for role in [Role.app, .extension] { container.value.beats[role].shift(by: span) }
    }
    exclusion?.value.shift(by: span)
    clock.startAnew()
  }

  /// Old stamps are all set to the oldest age that a rule distinguishes.
  private mutating func forgetOldStamps() {
    let memory = exclusion?.value.longestMemory ?? .seconds(40)
    let longStale = clock.wallNow + TimeSpan(nanoseconds: -memory.nanoseconds)
    func isOlder(_ beat: Beat?) -> Bool { beat.map { $0.bootClock < longStale } ?? false }
    for role in [Role.app, .extension] where isOlder(container.part({ $0.pointee.beats[role] })) {
      container.value.beats[role]?.bootClock = longStale
    }
    exclusion?.value.forget(before: longStale)
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.forgetOldStamps(memory)
    }
  }
}

extension Life {
  /// `withStamps`: a rule compares the stamps in beats.
  mutating func shift(by span: TimeSpan, withStamps: Bool) {
    wallet.shift(by: span)
    if withStamps { changeObservations { $0.shift(by: span) } }
    for index in heardPushes.indices { heardPushes[index].at.shift(by: span) }
    runningSince.shift(by: span)
    silentAt.shift(by: span)
    thawedAt.shift(by: span)
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    wallet.guardrail.renumberBeats(ofEpoch: epoch, number)
    for index in orders.indices {
      guard case .container(.beat(let own, let phase, let counter)) = orders[index] else { continue }
      orders[index] = .container(
        .beat(epoch: own, phase: phase, counter: own == epoch ? number(counter) : 0))
    }
    changeObservations { observation in
      guard let beat = observation.beat, beat.epoch == epoch else { return }
      observation.beat?.counter = number(beat.counter)
    }
  }

  /// The same in unhandled observations, relative to their time.
  mutating func forgetOldStamps(_ memory: TimeSpan) {
    changeObservations { observation in
      guard let beat = observation.beat else { return }
      let longStale = observation.bootClock + TimeSpan(nanoseconds: -memory.nanoseconds)
      observation.beat?.bootClock = max(beat.bootClock, longStale)
    }
  }

  mutating func normalise(at now: Instant) {
    forgetOldBeats()
    wallet.forgetLongAgo(at: now)
    runningSince = max(runningSince, now + Self.longEnough)
    if let silent = silentAt, silent <= now + Self.longEnough { silentAt = nil }
    if let thawed = thawedAt, thawed <= now + Self.longEnough { thawedAt = nil }
  }

  /// Drops the counter of `released` beats, beats of other epochs than the row's, and the reason of a claim, which
  /// depends on such a beat but decides nothing.
  private mutating func forgetOldBeats() {
    for index in orders.indices {
      switch orders[index] {
      case .container(.beat(let epoch, .released, _)):
        orders[index] = .container(.beat(epoch: epoch, phase: .released, counter: 0))
      case .container(.claim(let seen, _)):
        orders[index] = .container(.claim(seen: seen, reason: .holderDied))
      default: break
      }
    }
    changeObservations { observation in
      guard let beat = observation.beat, let row = observation.row else { return }
      if beat.epoch != row.epoch || beat.phase == .released { observation.beat = nil }
    }
  }

  /// Changes the observations that it has not handled yet.
  private mutating func changeObservations(_ change: (inout Observation) -> Void) {
    for index in answers.indices {
      guard case .guardrail(.observed(var observation)) = answers[index] else { continue }
      change(&observation)
      answers[index] = .guardrail(.observed(observation))
    }
  }

  /// No check distinguishes longer running times.
  private static let longEnough = TimeSpan(nanoseconds: -World.healthyAfter.nanoseconds - 1)
}

extension Observation: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    bootClock.shift(by: span)
    beat.shift(by: span)
  }
}

extension Beat: Shiftable {
  public mutating func shift(by span: TimeSpan) { bootClock.shift(by: span) }
}
