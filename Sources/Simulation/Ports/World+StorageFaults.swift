import Ground
import Guardrails
import Wallet

// Injected storage faults and their answers.
extension World {
  /// False without a fault.
  mutating func fails(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard let operation = StorageOperation(order),
      let trouble = storage.trouble(of: operation, by: life.role) ?? blockedStore(operation)
    else { return failsToLock(order, &life) }
    if operation.isOfTelling, trouble == .blocked, storage.incomingBlockedUntil == nil {
      storage.incomingBlockedUntil = now + Self.storeIsBlockedFor
    }
    hasEffect.value = true
    // The transaction in which it was frozen is rolled back.
    if container.value.writer == life.identity.pid { container.value.writer = nil }
    if case .readReceived(_, let push) = order { life.emptyReads.insert(push) }
    if trouble == .lost { life.hasLostContainer = true }
    if trouble == .failsAfterwards { carryOutWithoutAnswer(order, &life) }
    if operation == .beat {
      life.silentAt = now
      container.value.keepLock(life.role, life.identity.pid)
    }
    if let answer = answer(to: order, trouble) { life.answers.append(answer) }
    return true
  }

  /// Unlike the node's database the store of incoming records is blocked for longer than one attempt, and than a text
  /// may wait.
  private static let storeIsBlockedFor = TimeSpan.seconds(3)

  private mutating func blockedStore(_ operation: StorageOperation) -> StorageTrouble? {
    guard operation.isOfTelling, let until = storage.incomingBlockedUntil else { return nil }
    guard now >= until else { return .blocked }
    storage.incomingBlockedUntil = nil
    return nil
  }

  /// Carries the order out and drops the answer. A lock taken for a claim is released again.
  private mutating func carryOutWithoutAnswer(_ order: ContainerOrder, _ life: inout Life) {
    let (heard, hadLock) = (life.answers.count, container.value.locks[life.role].holder == life.identity.pid)
    carryOutWithoutFault(order, &life)
    life.answers.removeLast(life.answers.count - heard)
    if case .guardrail(.claim) = order, !hadLock { container.value.dropLock(life.role, life.identity.pid) }
  }

  /// Only the lock fails; the beat is written all the same.
  private mutating func failsToLock(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard case .guardrail(.beat(let epoch, let phase, let counter)) = order, phase.keepsLock,
      storage.trouble(of: .lock, by: life.role) != nil
    else { return false }
    // A replaced lock stays unnoticed for longer.
    if lockReplacedAt != nil { lockReplacedAt = now }
    beat(epoch, phase, counter, life, keepsLock: false)
    return true
  }

  private func answer(to order: ContainerOrder, _ trouble: StorageTrouble) -> WalletEvent? {
    let why = "storage failure"
    let reason: Trouble =
      switch trouble {
      case .blocked: .blocked(pid: nil, isStopped: false)
      case .fails, .failsAfterwards: .failed(why)
      case .lost: .lost(why)
      }
    switch order {
    case .guardrail(.look): return .guardrail(.lookFailed(reason))
    case .guardrail(.claim), .guardrail(.raiseEpoch): return .guardrail(.claimFailed(reason))
    case .guardrail(.readRow): return .guardrail(.rowReadFailed(reason))
    case .checkRow, .checkAfterInit, .write:
      switch trouble {
      case .blocked: return .node(.storeBlocked)
      case .fails, .failsAfterwards: return .node(.storeFailed(why))
      case .lost: return .node(.storeLost(why))
      }
    case .readReceived(_, let push): return .guardrail(.receivedNotRead(reason, push: push))
    // Only a loss is reported at once.
    case .markReceived: return trouble == .lost ? .guardrail(.containerLost(why)) : nil
    case .storeIncoming(_, let push): return .guardrail(.incomingNotStored(reason, push: push))
    case .readPast(let hash): return .requests(.pastNotRead(hash, why))
    case .lookAtWallet(let run):
      return .background(.stepDone(run: run, trouble == .blocked ? .busy(why) : .failed(why)))
    case .readIncoming: return .incoming(.recordsNotRead(reason))
    case .removeIncoming: return .incoming(.notRemoved(reason))
    // No part waits for an answer.
    case .guardrail: return nil
    }
  }
}
