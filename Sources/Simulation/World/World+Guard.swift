import Crypto
import Guardrails
import Heartbeat
import Lightning
import PhonePolicy

// What the guard's shell does in a real process.
extension World {
  mutating func carryOut(_ directive: GuardDirective, _ life: inout Life) {
    say(.ordered(life.role, directive))
    let pid = life.identity.pid
    switch directive {
    case .raiseWish: if container.value.wish == nil { container.value.wish = pid }
    case .withdrawWish: if container.value.wish == pid { container.value.wish = nil }
    case .look: life.guardQueue.append(.observed(observation(of: life)))
    case .claim(let seen, _): claim(seen: seen, &life)
    case .raiseEpoch(let claim, let above): raise(claim, above: above, &life)
    case .readRow: life.guardQueue.append(.rowRead(rowForBeat(life), appWantsNode: isWishSeen))
    case .beat(let epoch, let phase, let counter): beat(epoch, phase, counter, life)
    case .dropLock: dropLock(life)
    case .readReceived(let hash): readReceived(hash, &life)
    case .startNode(let claim): startNode(claim, &life)
    case .stopNode(let gracefully):
      if !gracefully { abandonWire(&life) }
      life.nodeQueue.append(.stopRequested(gracefully: gracefully))
    case .acceptNoNewPayment: life.nodeQueue.append(.handoverRequested)
    case .say(let message):
      if lives[life.role.other] != nil {
        letters.append(Letter(to: life.role.other, event: .presenceHeard(message)))
      }
    case .show(let status): life.status = status
    case .deliver(let push, let content): tellPhone(.contentDelivered(push: push, content.asText))
    case .notify(let content, let payment):
      tellPhone(.notificationPosted(content.asText, key: payment))
    case .withdraw(let payment): tellPhone(.notificationWithdrawn(key: payment))
    case .finished(let push, let reason): tellPhone(.serviceFinished(push: push, reason: reason.rawValue))
    case .backgroundDone: tellPhone(.backgroundDone)
    case .end: life.hasEnded = true
    }
  }

  // MARK: Looking

  private func observation(of life: Life) -> Observation {
    let row = container.value.row
    return Observation(
      row: row, holderLockIsBusy: row.map { isLockSeenBusy(of: $0.role) } ?? false,
      beat: row.flatMap { container.value.beats[$0.role] }, appWantsNode: isWishSeen, boot: boot,
      bootClock: now)
  }

  private var isWishSeen: Bool { !settings.without.contains(.wishAsState) && container.value.wish != nil }

  private func isLockSeenBusy(of role: Role) -> Bool {
    settings.without.contains(.lock) || container.value.locks[role].holder != nil
  }

  /// Without the rule a beat never learns that the row is another's.
  private func rowForBeat(_ life: Life) -> ClaimRow? {
    guard settings.without.contains(.rowBeforeBeat), let claim = life.claim, var row = container.value.row
    else {
      return container.value.row
    }
    row.epoch = claim.epoch
    row.incarnation = claim.incarnation
    return row
  }

  // MARK: Claiming

  private mutating func claim(seen: Epoch, _ life: inout Life) {
    if let writer = container.value.writer, writer != life.identity.pid {
      return life.guardQueue.append(.claimFailed(blocked(by: writer)))
    }
    container.value.writer = nil
    let highest = container.value.row?.epoch ?? 0
    guard settings.without.contains(.compareAndSet) || highest == seen else {
      return life.guardQueue.append(.claimSuperseded)
    }
    guard isOwnLockFree(life) else { return life.guardQueue.append(.ownLockWasBusy) }
    checkDisplacement(by: life)
    container.value.locks[life.role].holder = life.identity.pid
    writeRow(highest + 1, &life)
  }

  private mutating func raise(_ claim: Claim, above known: Epoch, _ life: inout Life) {
    if let writer = container.value.writer, writer != life.identity.pid {
      return life.guardQueue.append(.claimFailed(blocked(by: writer)))
    }
    container.value.writer = nil
    guard claim.owns(container.value.row) else { return life.guardQueue.append(.claimSuperseded) }
    guard isOwnLockFree(life) else { return life.guardQueue.append(.ownLockWasBusy) }
    container.value.locks[life.role].holder = life.identity.pid
    writeRow(known + 1, &life)
  }

  private func isOwnLockFree(_ life: Life) -> Bool {
    let holder = container.value.locks[life.role].holder
    return holder == nil || holder == life.identity.pid
  }

  /// Durable, and the state that was read with it.
  private mutating func writeRow(_ epoch: Epoch, _ life: inout Life) {
    incarnations &+= 1
    let incarnation = settings.without.contains(.incarnation) ? 1 : incarnations
    container.value.row = ClaimRow(
      epoch: epoch, role: life.role, process: life.identity, incarnation: incarnation,
      container: container.value.id)
    if !settings.without.contains(.stateFromClaim) || life.nodeStarts == 0 {
      life.claimedState = container.value.node
    }
    life.guardQueue.append(
      .claimed(Claim(epoch: epoch, incarnation: incarnation, container: container.value.id)))
  }

  func blocked(by pid: Int32) -> Trouble {
    .blocked(pid: pid, isStopped: role(ofPid: pid).flatMap { lives[$0] }?.value.isFrozen ?? false)
  }

  // MARK: Owning

  private mutating func beat(_ epoch: Epoch, _ phase: Phase, _ counter: UInt64, _ life: Life) {
    if phase != .released, isOwnLockFree(life), !settings.without.contains(.inodeCheck) {
      container.value.locks[life.role].holder = life.identity.pid
    }
    if settings.without.contains(.earlyBeat), phase == .claimed || phase == .connecting { return }
    container.value.beats[life.role] = Beat(
      role: life.role, epoch: epoch, phase: phase, counter: counter, process: life.identity, bootClock: now,
      wallClockNanoseconds: 0)
  }

  private mutating func dropLock(_ life: Life) {
    if container.value.locks[life.role].holder == life.identity.pid {
      container.value.locks[life.role].holder = nil
    }
  }

  private mutating func startNode(_ claim: Claim, _ life: inout Life) {
    life.claim = claim
    life.nodeStarts &+= 1
    if !settings.without.contains(.stateFromClaim) {
      life.soundRevision = life.claimedState.channel?.revision ?? 0
    }
    let fence = Fence(
      epoch: claim.epoch, incarnation: claim.incarnation, containerHigh: claim.container.high,
      containerLow: claim.container.low)
    life.nodeQueue.append(.started(NodeClaim(fence: fence), life.claimedState))
  }

  // MARK: What was received

  private mutating func readReceived(_ hash: String?, _ life: inout Life) {
    let found: ArraySlice<Receipt>
    if let hash {
      found = container.value.received.filter { $0.invoice.paymentHash.hex == hash }[...]
    } else {
      found = container.value.received.suffix(from: min(life.newestReceived, container.value.received.count))
    }
    life.guardQueue.append(.receivedFound(found.map { ReceivedPayment($0) }))
  }
}

extension ReceivedPayment {
  init(_ receipt: Receipt) {
    self.init(
      paymentHash: receipt.invoice.paymentHash.hex, amountMsat: receipt.amountMsat, text: receipt.invoice.text
    )
  }
}

extension NotificationContent {
  var asText: NotificationText { NotificationText(title: title, body: body) }
}
