import Ground
import Guardrails

// The moves that need no user, sender or fault.
extension World {
  func glance(_ role: Role) -> Life.Glance? {
    (role == .app ? lives.app : lives.notifier)?.part { $0.pointee.glance }
  }

  /// Both processes' summaries.
  var glances: PerRole<Life.Glance?> { PerRole(glance(.app), glance(.extension)) }

  /// Everything that is due at this instant.
  public func ready(into moves: inout [Move]) { ready(into: &moves, glances) }

  func ready(into moves: inout [Move], _ glances: PerRole<Life.Glance?>) {
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
    for wire in wires.all where wire.isReadableForPeer && !wire.isSlow {
      moves.append(.peerReads(wire: wire.id))
    }
    if let deadline = peer.part({ $0.pointee.deadline }), deadline <= peerNow { moves.append(.peerWakes) }
    if let deadline = phone.deadline, deadline <= now { moves.append(.phoneWakes) }
  }

  /// The earliest deadline of a process, the phone or the peer; nil if there is none.
  public var nextInstant: Instant? { nextInstant(glances) }

  func nextInstant(_ glances: PerRole<Life.Glance?>) -> Instant? {
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
    // `.max` means never.
    if let deadline = peer.part({ $0.pointee.deadline }), deadline.nanoseconds != .max {
      consider(now + (deadline - peerNow))
    }
    return next
  }

  mutating func passTime(until instant: Instant) {
    if clock.pass(until: instant), !settings.reusesNumbers { checkSilence() }
  }
}
