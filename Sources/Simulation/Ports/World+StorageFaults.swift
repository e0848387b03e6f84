import Ground
import Guardrails
import Wallet

// What a process hears of an operation that went wrong.
extension World {
  /// False if nothing is wrong.
  mutating func fails(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard let operation = StorageOperation(order),
      let trouble = storage.trouble(of: operation, by: life.role)
    else { return failsToLock(order, &life) }
    hasEffect.value = true
    // The transaction in which it was stopped is rolled back.
    if container.value.writer == life.identity.pid { container.value.writer = nil }
    if case .readReceived(_, let push) = order { life.heardOfNothing.insert(push) }
    if trouble == .lost { life.hasLostContainer = true }
    if trouble == .failsAfterwards { carryOutUnheard(order, &life) }
    if operation == .beat {
      life.silentAt = now
      container.value.keepLock(life.role, life.identity.pid)
    }
    if let answer = answer(to: order, trouble) { life.answers.append(answer) }
    return true
  }

  /// It happens, and its process hears otherwise. A lock that was taken for a claim is let go of again.
  private mutating func carryOutUnheard(_ order: ContainerOrder, _ life: inout Life) {
    let (heard, hadLock) = (life.answers.count, container.value.locks[life.role].holder == life.identity.pid)
    carryOutSoundly(order, &life)
    life.answers.removeLast(life.answers.count - heard)
    if case .claim = order, !hadLock { container.value.dropLock(life.role, life.identity.pid) }
  }

  /// The beat is written all the same: what fails is to look after the lock.
  private mutating func failsToLock(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard case .beat(let epoch, let phase, let counter) = order, phase.keepsLock,
      storage.trouble(of: .lock, by: life.role) != nil
    else { return false }
    // One that was replaced guards nothing for longer.
    if lockReplacedAt != nil { lockReplacedAt = now }
    beat(epoch, phase, counter, life, keepsLock: false)
    return true
  }

  private func answer(to order: ContainerOrder, _ trouble: StorageTrouble) -> WalletEvent? {
    let why = "the storage has failed"
    let reason: Trouble =
      switch trouble {
      case .blocked: .blocked(pid: nil, isStopped: false)
      case .fails, .failsAfterwards: .failed(why)
      case .lost: .lost(why)
      }
    switch order {
    case .look: return .guardrail(.lookFailed(reason))
    case .claim, .raiseEpoch: return .guardrail(.claimFailed(reason))
    case .readRow: return .guardrail(.rowReadFailed(reason))
    case .checkRow, .checkAfterInit, .write:
      switch trouble {
      case .blocked: return .node(.storeBlocked)
      case .fails, .failsAfterwards: return .node(.storeFailed(why))
      case .lost: return .node(.storeLost(why))
      }
    case .readReceived(_, let push): return .guardrail(.receivedNotRead(reason, push: push))
    // Only a loss is told at once.
    case .markReceived: return trouble == .lost ? .guardrail(.containerLost(why)) : nil
    case .readPast(let hash): return .requests(.pastNotRead(hash, why))
    case .lookAtWallet(let run):
      return .background(.stepDone(run: run, trouble == .blocked ? .busy(why) : .failed(why)))
    // Nobody waits for an answer.
    case .beat, .raiseIntent, .withdrawIntent, .dropLock, .settle: return nil
    }
  }
}
