import Ground
import Guardrails
import Heartbeat
import Wallet

// The port to the container.
extension World {
  mutating func carryOut(_ order: ContainerOrder, _ life: inout Life) {
    if !fails(order, &life) { carryOutWithoutFault(order, &life) }
  }

  mutating func carryOutWithoutFault(_ order: ContainerOrder, _ life: inout Life) {
    noteEffect(of: order)
    if carryOutInstead(order, &life) { return }
    let pid = life.identity.pid
    switch order {
    case .guardrail(.raiseIntent): container.value.raiseIntent(pid)
    case .guardrail(.withdrawIntent): container.value.withdrawIntent(pid)
    case .guardrail(.look): life.answer(.observed(observation(by: life)))
    case .guardrail(.claim(let seen, _)): claim(seen: seen, &life)
    case .guardrail(.raiseEpoch(let claim, let above, _)): raise(claim, above: above, &life)
    case .guardrail(.readRow):
      life.answer(
        .rowRead(rowForBeat(life), appWantsNode: container.value.isIntentRaised(without: settings.without)))
    case .guardrail(.beat(let epoch, let phase, let counter)): beat(epoch, phase, counter, life)
    case .guardrail(.dropLock): dropLock(&life)
    case .guardrail(.settle): break
    case .markReceived(let push):
      life.answers.append(.receivedMarked(push: push, newest: Int64(container.value.received.count)))
    case .readReceived(let payments, let push): readReceived(payments, for: push, &life)
    case .checkRow: life.answer(.rowRead(rowForNode(life)))
    case .checkAfterInit: checkAfterInit(&life)
    case .write(let change, let claim): write(change, under: claim, &life)
    case .readPast(let hash): life.answers.append(.requests(.pastRead(hash, container.value.past[hash])))
    case .lookAtWallet(let run): lookAtWallet(run, &life)
    case .storeIncoming(let record, let push):
      checkStored(record)
      container.value.store(record)
      storage.keep(record)
      life.answer(.incomingStored(push: push))
    case .readIncoming(let asked): readIncoming(asked, &life)
    case .removeIncoming(let records):
      checkRemoved(records)
      let changed = container.value.removeIncoming(records)
      let gone = records.map(\.paymentHash).filter { !changed.contains($0) }
      storage.keptRecords.value.removeAll { gone.contains($0) }
      life.answers.append(.incoming(.removed(gone, changed: changed)))
    }
  }

  // MARK: Looks

  /// Claims and reads count as progress only through their answers; a repeated beat (same epoch and phase) is not
  /// progress.
  private mutating func noteEffect(of order: ContainerOrder) {
    switch order {
    case .guardrail(.look), .guardrail(.claim), .guardrail(.readRow), .guardrail(.settle), .readIncoming:
      break
    case .write where container.part({ $0.pointee.writer }) != nil: break
    case .guardrail(.beat(let epoch, let phase, _)):
      let isRepeated = container.part { place in
        guard let row = place.pointee.row, let last = place.pointee.beats[row.role] else { return false }
        return last.epoch == epoch && row.epoch == epoch && last.phase == phase
      }
      if !isRepeated { hasEffect.value = true }
    default: hasEffect.value = true
    }
  }

  func observation(by life: Life) -> Observation {
    var observation = container.value.look(boot: boot, bootClock: stamp, without: settings.without)
    if isOutvoted(observation, life) { observation.holderLockIsBusy = false }
    return observation
  }

  /// Without the veto, two votes for a connection outweigh the vote that the other process has the node.
  private func isOutvoted(_ observation: Observation, _ life: Life) -> Bool {
    guard settings.without.contains(.veto), case .app(let machine) = life.wallet.guardrail.machine
    else { return false }
    return phone.app == .foreground && machine.hasNamedTask && observation.row?.role == .extension
  }

  /// Without the rule a beat never sees that the row has another owner.
  private func rowForBeat(_ life: Life) -> ClaimRow? {
    let isBlind = settings.without.contains(.rowBeforeBeat) || life.claimsAfterDialling != nil
    return isBlind ? rowOfItsOwn(life) ?? container.value.row : container.value.row
  }

  /// The row if its claim were in force.
  package func rowOfItsOwn(_ life: Life) -> ClaimRow? {
    life.claim.map { claim in
      ClaimRow(
        epoch: claim.epoch, role: life.role, process: life.identity, incarnation: claim.incarnation,
        container: claim.container)
    }
  }

  // MARK: Claims

  private mutating func claimant(_ life: Life) -> Container.Claimant {
    Container.Claimant(
      role: life.role, process: life.identity,
      incarnation: settings.without.contains(.incarnation)
        ? 1 : numbers.incarnation(after: container.value.row, restored: copies.restored))
  }

  private mutating func claim(seen: Epoch, _ life: inout Life) {
    guard !settings.without.contains(.claimBeforeDialling) else { return promiseClaim(seen: seen, &life) }
    let claimant = claimant(life)
    let before = container.value.row
    let answer = container.value.claim(seen: seen, by: claimant, without: settings.without)
    if case .claimed = answer { checkDisplacement(of: before, by: life) }
    tell(answer, to: &life)
  }

  /// Answers with the claim that the process will make after the peer's `init`, if the other one does not claim
  /// before.
  private mutating func promiseClaim(seen: Epoch, _ life: inout Life) {
    var incarnation = claimant(life).incarnation
    // Both processes may be promised the same number.
    if life.role == .extension { incarnation |= 1 << 40 }
    life.claimsAfterDialling = seen
    tell(.claimed(Claim(epoch: seen + 1, incarnation: incarnation, container: container.value.id)), to: &life)
  }

  private mutating func raise(_ claim: Claim, above known: Epoch, _ life: inout Life) {
    let claimant = claimant(life)
    tell(container.value.raise(claim, above: known, by: claimant), to: &life)
  }

  private mutating func tell(_ answer: Container.ClaimAnswer, to life: inout Life) {
    if case .blocked = answer {} else { hasEffect.value = true }
    switch answer {
    case .claimed(let claim):
      // The state that the claim's transaction read, unless the rule is removed.
      let isOld = settings.without.contains(.stateFromClaim) && life.hasStarted
      life.answers.append(.claimed(claim, isOld ? stateInMemory(life) : nodeInContainer))
    case .superseded: life.answer(.claimSuperseded)
    case .ownLockBusy: life.answer(.ownLockWasBusy)
    case .blocked(let pid):
      let isStopped = role(ofPid: pid).flatMap { lives[$0] }?.value.isStopped ?? false
      life.answer(.claimFailed(.blocked(pid: pid, isStopped: isStopped)))
    case .refused: life.answer(.claimFailed(.failed("the peer's epoch is too far above the claim's")))
    }
  }

  // MARK: Ownership

  mutating func beat(_ epoch: Epoch, _ phase: Phase, _ counter: UInt64, _ life: Life, keepsLock: Bool = true)
  {
    if keepsLock, phase.keepsLock, !settings.without.contains(.inodeCheck) {
      container.value.keepLock(life.role, life.identity.pid)
    }
    if settings.without.contains(.earlyBeat), phase == .claimed || phase == .connecting { return }
    container.value.write(
      Beat(
        role: life.role, epoch: epoch, phase: phase, counter: counter, process: life.identity,
        bootClock: stamp, wallClockNanoseconds: 0))
  }

  private mutating func dropLock(_ life: inout Life) {
    container.value.dropLock(life.role, life.identity.pid)
    // Without `Rule.releaseOrder` the lock is released while the node is still connected.
    guard !settings.without.contains(.releaseOrder) || life.wallet.node.isStopped else { return }
    life.claim = nil
    life.claimsAfterDialling = nil
  }

  // MARK: Received payments

  /// A payment's number is its position, from 1 on.
  private mutating func readReceived(_ payments: ReceivedPayments, for push: UInt64, _ life: inout Life) {
    let received = container.value.received
    let found =
      switch payments {
      case .of(let hash): received.filter { $0.invoice.paymentHash == hash }[...]
      case .after(let number): received.dropFirst(Int(number))
      }
    let settled = found.filter { container.value.isSettled($0.invoice.paymentHash) }
    if settled.isEmpty { life.emptyReads.insert(push) }
    life.answer(.receivedFound(settled.map { ReceivedPayment($0) }, push: push))
  }
}

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
    let (heard, hadLock) = (life.answers.count, container.value.locks[life.role] == life.identity.pid)
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

/// The port for another way to keep the two processes apart than the shipped guards and their claims. In such a world
/// the container has no claim row, and the peer knows no epochs. Node, phone, peer and user stay the same.
package protocol Exclusion: Hashable, Sendable, Shiftable {
  func guardrail(of role: Role) -> any ExclusionGuard
  /// False for orders with the same meaning as with the shipped guards.
  mutating func carryOut(_ order: ContainerOrder, _ life: inout Life, in world: inout World) -> Bool
  /// The process sends `channel_reestablish`.
  mutating func noteDriving(_ life: inout Life)
  mutating func processEnded(_ role: Role)
  /// Called after each move: the first violation.
  mutating func check(_ world: World) -> Violation?
  /// Whether the invariant is checked.
  func promises(_ invariant: Invariant) -> Bool
  /// Why no process has received a payment while the user stayed away, as the end of a sentence.
  func whyNotReceived(in world: World) -> String
  /// The peer returns the wallet's backup.
  var hasBackups: Bool { get }
  /// The moves for an agenda's action; nil if they are the same as with the shipped guards.
  func moves(for action: Agenda.Action) -> [Move]?
  /// When the present sign of life, if it is not renewed, will be too old: nothing else may happen until then.
  func nextExpiry(in world: World) -> Instant?
  /// No rule distinguishes older stamps, also after a few steps back of the clock.
  var longestMemory: TimeSpan { get }
  mutating func forget(before longStale: Instant)
}

/// The guard of one process. Before its node starts it orders `readRow`, which is answered by the state that the node
/// starts from.
package protocol ExclusionGuard: Hashable, Sendable, Shiftable {
  var deadline: Instant? { get }
  /// The app has a background task.
  var hasTask: Bool { get }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective]
  mutating func noteThaw()
}

package struct AnyExclusion: Hashable, Sendable {
  package var value: any Exclusion

  package init(_ value: any Exclusion) { self.value = value }

  package static func == (left: Self, right: Self) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

public struct AnyExclusionGuard: Hashable, Sendable {
  var value: any ExclusionGuard

  public static func == (left: Self, right: Self) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension World {
  /// False if the order has the same meaning with the shipped guards.
  mutating func carryOutInstead(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard var other = exclusion else { return false }
    exclusion = nil
    defer { exclusion = other }
    return other.value.carryOut(order, &life, in: &self)
  }

  mutating func checkExclusion() {
    guard violation == nil, var other = exclusion else { return }
    let found = other.value.check(self)
    exclusion = other
    if let found { report(found.invariant, found.sentence) }
  }

  /// The process hears that something was written, and looks at what is there by then.
  package mutating func announceWrite(to role: Role) {
    guard lives[role] != nil else { return }
    let news = Observation(
      row: nil, holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: BootID(high: 0, low: 0),
      bootClock: .zero)
    presenceQueue.append(QueuedPresence(to: role, event: .observed(news)))
  }
}
