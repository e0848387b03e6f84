import Ground
import Guardrails

// The moves that need no user, sender or fault.
extension World {
  func glance(_ role: Role) -> Life.Glance? {
    (role == .app ? lives.app : lives.notifier)?.part { $0.pointee.glance }
  }

  /// Both processes' summaries.
  var glances: PerRole<Life.Glance?> { PerRole(glance(.app), glance(.extension)) }

  var otherGlances: PerRole<Life.Glance?>? {
    otherDevice?.part { device in
      PerRole(
        device.pointee.lives.app?.part { $0.pointee.glance },
        device.pointee.lives.notifier?.part { $0.pointee.glance })
    }
  }

  /// Everything that is due at this instant.
  public func ready(into moves: inout [Move]) { ready(into: &moves, glances) }

  func ready(into moves: inout [Move], _ glances: PerRole<Life.Glance?>) {
    readyHere(glances, presenceQueue, phone.deadline, at: now) { moves.append($0) }
    readyOnOther { moves.append(.onOther($0)) }
    for wire in wires.all where wire.isReadableForPeer && !wire.isSlow {
      moves.append(.peerReads(wire: wire.id))
    }
    if let deadline = peerDeadline, deadline <= peerNow { moves.append(.peerWakes) }
    for number in senders.due(at: peerNow) { moves.append(.senderWakes(number)) }
  }

  private var peerDeadline: Instant? { isPeerDown ? nil : peer.part { $0.pointee.deadline } }

  private func readyOnOther(_ add: (Move) -> Void) {
    guard let glances = otherGlances else { return }
    otherDevice?.part {
      readyHere(
        glances, $0.pointee.presenceQueue, $0.pointee.phone.deadline, at: $0.pointee.clock.now, add)
    }
  }

  /// The moves of one device.
  private func readyHere(
    _ glances: PerRole<Life.Glance?>, _ queue: [QueuedPresence], _ phoneWakesAt: Instant?, at now: Instant,
    _ add: (Move) -> Void
  ) {
    for role in [Role.app, .extension] {
      guard let life = glances[role], !life.isStopped else { continue }
      guard life.isIdle, !life.isStarting else {
        if !life.isStarting { add(.work(role)) }
        if life.isStarting, let startsAt = life.deadline, startsAt <= now { add(.wake(role)) }
        continue
      }
      if life.hasInbox { add(.hear(role)) }
      if let deadline = life.deadline, deadline <= now { add(.wake(role)) }
      for index in queue.indices where queue[index].to == role && !queue[index].isLate {
        add(.readPresence(index))
      }
      for wire in wires.all where wire.owner == life.pid && !wire.isAbandoned {
        if !wire.isAccepted || !wire.toWallet.isEmpty || wire.isShutByPeer {
          add(.walletReads(wire: wire.id))
        }
      }
    }
    if let phoneWakesAt, phoneWakesAt <= now { add(.phoneWakes) }
  }

  /// The earliest deadline of a process, the phone or the peer; nil if there is none.
  public var nextInstant: Instant? { nextInstant(glances) }

  func nextInstant(_ glances: PerRole<Life.Glance?>) -> Instant? {
    var next = Self.next(
      [
        glances.app?.deadline, glances.notifier?.deadline, phone.deadline,
        exclusion?.value.nextExpiry(in: self),
      ], after: now)
    func consider(_ instant: Instant) {
      if instant > now { next = next.map { min($0, instant) } ?? instant }
    }
    if let span = otherSleepsFor { consider(now + span) }
    // `.max` means never.
    if let deadline = peerDeadline, deadline.nanoseconds != .max {
      consider(now + (deadline - peerNow))
    }
    for deadline in senders.deadlines { consider(now + (deadline - peerNow)) }
    return next
  }

  /// The time to the next deadline of the device that is not in hand.
  private var otherSleepsFor: TimeSpan? {
    guard let glances = otherGlances else { return nil }
    return otherDevice?.part { device in
      let now = device.pointee.clock.now
      return Self.next(
        [glances.app?.deadline, glances.notifier?.deadline, device.pointee.phone.deadline], after: now
      ).map { $0 - now }
    }
  }

  private static func next(_ deadlines: [Instant?], after now: Instant) -> Instant? {
    deadlines.lazy.compactMap { $0 }.filter { $0 > now }.min()
  }

  /// The clock of the device in hand stands still, the peer's runs. The other device runs on to its next deadline, if
  /// it has nothing to do before, and sleeps then too.
  mutating func passAsleep(_ span: TimeSpan) {
    clock.passAsleep(span)
    announcements.value.noteSleep(span)
    var isBusy = false
    readyOnOther { _ in isBusy = true }
    guard !isBusy else { return }
    let awake = otherSleepsFor.map { min($0, span) } ?? span
    otherDevice?.value.clock.passAside(awake)
  }

  mutating func passTime(until instant: Instant) {
    let span = instant - now
    guard clock.pass(until: instant) else { return }
    otherDevice?.value.clock.passAside(span)
    guard !settings.reusesNumbers else { return }
    checkSilence()
    onOtherDevice { $0.checkSilence() }
    checkAnnounced()
  }
}
