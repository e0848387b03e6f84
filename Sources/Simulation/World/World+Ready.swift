import CoreShape
import Guardrails
import Heartbeat

// What can happen next without anybody's wish or any fault.
extension World {
  /// Everything that is due at this instant.
  public func ready(into moves: inout [Move]) {
    for role in [Role.app, .extension] {
      guard let life = lives[role], !life.value.isFrozen else { continue }
      guard life.value.isIdle else {
        moves.append(.work(role))
        continue
      }
      if !life.value.inbox.isEmpty { moves.append(.hear(role)) }
      if let deadline = life.value.deadline, deadline <= now { moves.append(.wake(role)) }
      for index in letters.indices where letters[index].to == role { moves.append(.readLetter(index)) }
      for wire in wires where wire.owner == life.value.identity.pid && !wire.isAbandoned {
        if !wire.isAccepted || !wire.toWallet.isEmpty || wire.isShutByPeer {
          moves.append(.walletReads(wire: wire.id))
        }
      }
    }
    for wire in wires where !wire.isOverForPeer {
      if !wire.toPeer.isEmpty || wire.isShutByWallet { moves.append(.peerReads(wire: wire.id)) }
    }
    if let deadline = peer.value.deadline, deadline <= peerNow { moves.append(.peerWakes) }
    if let deadline = phone.deadline, deadline <= now { moves.append(.phoneWakes) }
  }

  /// The next instant at which something becomes due by itself; nil if nobody waits for the time.
  public var nextInstant: Instant? {
    var next: Instant?
    func consider(_ instant: Instant?) {
      guard let instant, instant > now else { return }
      next = next.map { min($0, instant) } ?? instant
    }
    for role in [Role.app, .extension] {
      if let life = lives[role], !life.value.isFrozen { consider(life.value.deadline) }
    }
    consider(phone.deadline)
    if let deadline = peer.value.deadline { consider(now + (deadline - peerNow)) }
    return next
  }

  mutating func passTime(until instant: Instant) {
    guard instant > now else { return }
    peerNow = peerNow + (instant - now)
    now = instant
  }
}
