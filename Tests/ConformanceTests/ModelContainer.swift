import Ground
import Guardrails
import Heartbeat
import Simulation

/// The simulation's container with its two processes.
struct ModelContainer: ContainerUnderTest {
  private var container = Container(id: ContainerID(high: 1, low: 2))
  private var pids: [Role: Int32] = [.app: 1, .extension: 2]
  private var nextPid: Int32 = 3
  private var claims: [Role: Claim] = [:]

  mutating func take(_ step: ContainerStep) throws -> ContainerAnswer {
    switch step {
    case .claim(let role, let seen, let incarnation):
      return answer(container.claim(seen: seen, by: claimant(role, incarnation)), role)
    case .raise(let role, let above, let incarnation):
      guard let claim = claims[role] else { return .done }
      return answer(container.raise(claim, above: above, by: claimant(role, incarnation)), role)
    case .write(let role):
      guard let claim = claims[role] else { return .done }
      switch container.beginWrite(under: claim, by: pid(role)) {
      case .allowed: return .written
      case .fenced: return .fenced
      case .blocked: return .blocked
      }
    case .beat(let role, let counter, let phase):
      container.write(.sample(role, claims[role]?.epoch ?? 0, counter, phase))
    case .keepLock(let role): container.keepLock(role, pid(role))
    case .dropLock(let role): container.dropLock(role, pid(role))
    case .intent(true): container.raiseIntent(pid(.app))
    case .intent(false): container.withdrawIntent(pid(.app))
    case .look: return ContainerAnswer(container.look(boot: .sample, bootClock: .sample))
    case .restart(let role):
      container.forget(pid(role))
      claims[role] = nil
      pids[role] = nextPid
      nextPid += 1
    case .replaceLock(let role): container.replaceLock(role)
    }
    return .done
  }

  private func pid(_ role: Role) -> Int32 { pids[role] ?? 0 }

  private func claimant(_ role: Role, _ incarnation: UInt64) -> Container.Claimant {
    Container.Claimant(
      role: role, process: ProcessIdentity(pid: pid(role), startTime: 0, boot: .sample),
      incarnation: incarnation)
  }

  private mutating func answer(_ answer: Container.ClaimAnswer, _ role: Role) -> ContainerAnswer {
    switch answer {
    case .claimed(let claim):
      claims[role] = claim
      return .claimed(epoch: claim.epoch, incarnation: claim.incarnation)
    case .superseded: return .superseded
    case .ownLockBusy: return .ownLockBusy
    case .blocked: return .blocked
    case .refused: return .refused
    }
  }
}
