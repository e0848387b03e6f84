import Ground
import Guardrails

// What can happen next without anybody's request or any fault.
extension World {
  func glance(_ role: Role) -> Life.Glance? {
    (role == .app ? lives.app : lives.notifier)?.part { $0.pointee.glance }
  }

  /// Both processes, looked at once.
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
      if life.hasMail { moves.append(.hear(role)) }
      if let deadline = life.deadline, deadline <= now { moves.append(.wake(role)) }
      for index in letters.indices where letters[index].to == role && !letters[index].isLate {
        moves.append(.readLetter(index))
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

  /// The next instant at which something becomes due by itself; nil if nobody waits for the time.
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
    // The end of all time never comes.
    if let deadline = peer.part({ $0.pointee.deadline }), deadline.nanoseconds != .max {
      consider(now + (deadline - peerNow))
    }
    return next
  }

  mutating func passTime(until instant: Instant) {
    if clock.pass(until: instant), !settings.reusesNumbers { checkSilence() }
  }
}
