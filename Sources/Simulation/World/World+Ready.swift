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
    readyHere(into: &moves, glances)
    if let other = seenFromOther {
      var its: [Move] = []
      other.readyHere(into: &its, other.glances)
      moves += its.map { .onOther($0) }
    }
    for wire in wires.all where wire.isReadableForPeer && !wire.isSlow {
      moves.append(.peerReads(wire: wire.id))
    }
    if let deadline = peer.part({ $0.pointee.deadline }), deadline <= peerNow { moves.append(.peerWakes) }
  }

  /// The moves of this device.
  private func readyHere(into moves: inout [Move], _ glances: PerRole<Life.Glance?>) {
    for role in [Role.app, .extension] {
      guard let life = glances[role], !life.isStopped else { continue }
      guard life.isIdle else {
        moves.append(.work(role))
        continue
      }
      if life.hasInbox { moves.append(.hear(role)) }
      if let deadline = life.deadline, deadline <= now { moves.append(.wake(role)) }
      for index in presenceQueue.indices where presenceQueue[index].to == role && !presenceQueue[index].isLate
      {
        moves.append(.readPresence(index))
      }
      for wire in wires.all where wire.owner == life.pid && !wire.isAbandoned {
        if !wire.isAccepted || !wire.toWallet.isEmpty || wire.isShutByPeer {
          moves.append(.walletReads(wire: wire.id))
        }
      }
    }
    if let deadline = phone.deadline, deadline <= now { moves.append(.phoneWakes) }
  }

  /// The earliest deadline of a process, the phone or the peer; nil if there is none.
  public var nextInstant: Instant? { nextInstant(glances) }

  func nextInstant(_ glances: PerRole<Life.Glance?>) -> Instant? {
    var next = nextInstantHere(glances)
    func consider(_ instant: Instant) {
      if instant > now { next = next.map { min($0, instant) } ?? instant }
    }
    if let other = seenFromOther, let instant = other.nextInstantHere(other.glances) {
      consider(now + (instant - other.now))
    }
    // `.max` means never.
    if let deadline = peer.part({ $0.pointee.deadline }), deadline.nanoseconds != .max {
      consider(now + (deadline - peerNow))
    }
    return next
  }

  /// The earliest deadline of this device.
  private func nextInstantHere(_ glances: PerRole<Life.Glance?>) -> Instant? {
    var next: Instant?
    func consider(_ instant: Instant?) {
      guard let instant, instant > now else { return }
      next = next.map { min($0, instant) } ?? instant
    }
    for role in [Role.app, .extension] {
      consider(glances[role]?.deadline)
    }
    consider(phone.deadline)
    consider(nextExpiry)
    return next
  }

  mutating func passTime(until instant: Instant) {
    let span = instant - now
    guard clock.pass(until: instant) else { return }
    otherDevice?.value.clock.passAside(span)
    guard !settings.reusesNumbers else { return }
    checkSilence()
    onOtherDevice { $0.checkSilence() }
  }
}
