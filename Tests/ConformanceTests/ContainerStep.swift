import Ground
import Guardrails
import Heartbeat

/// One step that both containers take.
enum ContainerStep: Hashable {
  case claim(Role, seen: Epoch, incarnation: UInt64)
  /// Raises the role's last claim above an epoch that the LSP may know.
  case raise(Role, above: Epoch, incarnation: UInt64)
  case write(Role)
  case beat(Role, counter: UInt64, Phase)
  case keepLock(Role)
  case dropLock(Role)
  case intent(Bool)
  case look(Role)
  /// The process ends, and another of the same role starts.
  case restart(Role)
  /// Replaces the role's lock file by a new plain file.
  case replaceLock(Role)

  static func random(_ generator: inout SeededGenerator, highest: Epoch, number: UInt64) -> ContainerStep {
    let role = generator.chance(50) ? Role.app : .extension
    switch generator.below(14) {
    case 0, 1, 2:
      // Usually the current epoch.
      let seen = generator.chance(70) ? highest : Epoch(generator.below(Int(highest) + 2))
      return .claim(role, seen: seen, incarnation: number)
    case 3:
      let above = [highest, highest + 5, highest + (1 << 32), .max, 0][generator.below(5)]
      return .raise(role, above: above, incarnation: number)
    case 4, 5: return .write(role)
    case 6: return .beat(role, counter: number, Phase.allCases[generator.below(Phase.allCases.count)])
    case 7: return .keepLock(role)
    case 8, 9: return .dropLock(role)
    case 10: return .intent(generator.chance(50))
    case 11: return generator.chance(60) ? .restart(role) : .replaceLock(role)
    default: return .look(role)
    }
  }
}

/// A step's result, common to both containers.
enum ContainerAnswer: Hashable {
  case claimed(epoch: Epoch, incarnation: UInt64)
  case superseded
  case ownLockBusy
  case blocked
  case refused
  case written
  case fenced
  case seen(epoch: Epoch?, role: Role?, incarnation: UInt64?, lockIsBusy: Bool, beat: UInt64?, intent: Bool)
  case done

  init(_ observation: Observation) {
    self = .seen(
      epoch: observation.row?.epoch, role: observation.row?.role, incarnation: observation.row?.incarnation,
      lockIsBusy: observation.holderLockIsBusy, beat: observation.beat?.counter,
      intent: observation.appWantsNode)
  }
}

protocol ContainerUnderTest { mutating func take(_ step: ContainerStep) throws -> ContainerAnswer }
