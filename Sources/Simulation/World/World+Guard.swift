import Ground
import Guardrails
import Heartbeat
import Lightning
import PhonePolicy
import Wallet

// What the guard's shell does in a real process.
extension World {
  mutating func carryOut(_ directive: GuardDirective, _ life: inout Life) {
    say(.ordered(life.role, directive))
    let pid = life.identity.pid
    noteEffect(of: directive)
    if settings.coordination != .baton, carryOutForOther(directive, &life) { return }
    switch directive {
    case .raiseWish: container.value.raiseWish(pid)
    case .withdrawWish: container.value.withdrawWish(pid)
    case .look: life.guardQueue.append(.observed(observation(by: life)))
    case .claim(let seen, _): claim(seen: seen, &life)
    case .raiseEpoch(let claim, let above, _): raise(claim, above: above, &life)
    case .readRow:
      life.guardQueue.append(
        .rowRead(rowForBeat(life), appWantsNode: container.value.isWished(without: settings.without)))
    case .beat(let epoch, let phase, let counter): beat(epoch, phase, counter, life)
    case .dropLock:
      life.claim = nil
      life.claimsAfterDialling = nil
      container.value.dropLock(life.role, pid)
    case .readReceived(let hash): readReceived(hash, &life)
    case .startNode(let claim, let replaced): startNode(claim, replacing: replaced, &life)
    case .stopNode(let gracefully):
      if settings.without.contains(.releaseOrder) { container.value.dropLock(life.role, pid) }
      if !gracefully { abandonWire(&life) }
      life.nodeQueue.append(.stopRequested(gracefully: gracefully))
    case .acceptNoNewPayment: life.nodeQueue.append(.handoverRequested)
    case .endLongPause: life.nodeQueue.append(.peerMayBeThere)
    case .say(let message):
      if lives[life.role.other] != nil {
        letters.append(Letter(to: life.role.other, event: .presenceHeard(message)))
      }
    case .mayConnect: break
    case .show(let status):
      life.status = status
      if !settings.reusesNumbers { life.shownSince = now }
      if life.role == .app, case .connected = status { appConnected() }
    case .deliver(let push, let outcome):
      tellPhone(
        .contentDelivered(push: push, NotificationContent(outcome).asText, key: outcome.payment?.hex))
    case .notify(let payment):
      tellPhone(.notificationPosted(NotificationContent(payment).asText, key: payment.paymentHash.hex))
    case .withdraw(let payment): tellPhone(.notificationWithdrawn(key: payment.hex))
    case .finished(let push, let reason): tellPhone(.serviceFinished(push: push, reason: reason.rawValue))
    case .completed(let push, let outcome):
      tellPhone(.silentPushDone(push: push, SilentPushResult(rawValue: outcome.rawValue) ?? .failed))
    case .noteFailure: break
    case .backgroundDone: tellPhone(.backgroundDone(time: life.timeInBackground))
    case .beginBackgroundTask(let id, _): tellPhone(.taskBegan(id: id, name: ""))
    case .endBackgroundTask(let id): tellPhone(.taskEnded(id: id))
    case .end: life.hasEnded = true
    }
  }

  // MARK: Looking

  /// Of a claim and of what is read it shows in the answer; one more beat says that all is as it was.
  private mutating func noteEffect(of directive: GuardDirective) {
    switch directive {
    case .look, .claim, .readRow: break
    case .beat(let epoch, let phase, _):
      let isOneMore = container.part { place in
        guard let row = place.pointee.row, let last = place.pointee.beats[row.role] else { return false }
        return last.epoch == epoch && row.epoch == epoch && last.phase == phase
      }
      if !isOneMore { hasEffect.value = true }
    default: hasEffect.value = true
    }
  }

  func observation(by life: Life) -> Observation {
    guard settings.coordination == .baton else { return observationOfOther }
    var observation = container.value.look(boot: boot, bootClock: stamp, without: settings.without)
    if isOutvoted(observation, life) { observation.holderLockIsBusy = false }
    return observation
  }

  /// Without the veto, two votes for a connection outweigh the one that somebody else has the node.
  private func isOutvoted(_ observation: Observation, _ life: Life) -> Bool {
    guard settings.without.contains(.veto), case .app(let machine) = life.guardValue else { return false }
    return phone.app == .foreground && machine.hasNamedTask && observation.row?.role == .extension
  }

  /// Without the rule a beat never learns that the row is another's.
  private func rowForBeat(_ life: Life) -> ClaimRow? {
    let isBlind = settings.without.contains(.rowBeforeBeat) || life.claimsAfterDialling != nil
    return isBlind ? rowOfItsOwn(life) ?? container.value.row : container.value.row
  }

  /// What would stand there if its claim were the one in force.
  func rowOfItsOwn(_ life: Life) -> ClaimRow? {
    life.claim.map { claim in
      ClaimRow(
        epoch: claim.epoch, role: life.role, process: life.identity, incarnation: claim.incarnation,
        container: claim.container)
    }
  }

  // MARK: Claiming

  private mutating func claimant(_ life: Life) -> Container.Claimant {
    Container.Claimant(
      role: life.role, process: life.identity,
      incarnation: settings.without.contains(.incarnation) ? 1 : newIncarnation())
  }

  private mutating func claim(seen: Epoch, _ life: inout Life) {
    guard !settings.without.contains(.claimBeforeDialling) else { return promiseClaim(seen: seen, &life) }
    let claimant = claimant(life)
    let before = container.value.row
    let answer = container.value.claim(seen: seen, by: claimant, without: settings.without)
    if case .claimed = answer { checkDisplacement(of: before, by: life) }
    tell(answer, to: &life)
  }

  /// The number that will be its own if nobody else comes before the peer's greeting.
  private mutating func promiseClaim(seen: Epoch, _ life: inout Life) {
    var incarnation = claimant(life).incarnation
    // Two may promise themselves the same number.
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
      // Durable, and the state that was read with it.
      let isOld = settings.without.contains(.stateFromClaim) && life.nodeStarts > 0
      life.claimedState = isOld ? stateInMemory(life) : nodeInContainer
      life.guardQueue.append(.claimed(claim))
    case .superseded: life.guardQueue.append(.claimSuperseded)
    case .ownLockBusy: life.guardQueue.append(.ownLockWasBusy)
    case .blocked(let pid):
      let isStopped = role(ofPid: pid).flatMap { lives[$0] }?.value.isStopped ?? false
      life.guardQueue.append(.claimFailed(.blocked(pid: pid, isStopped: isStopped)))
    case .refused: life.guardQueue.append(.claimFailed(.failed("the epoch may not go so far")))
    }
  }

  // MARK: Owning

  private mutating func beat(_ epoch: Epoch, _ phase: Phase, _ counter: UInt64, _ life: Life) {
    if phase != .released, !settings.without.contains(.inodeCheck) {
      container.value.keepLock(life.role, life.identity.pid)
    }
    if settings.without.contains(.earlyBeat), phase == .claimed || phase == .connecting { return }
    container.value.write(
      Beat(
        role: life.role, epoch: epoch, phase: phase, counter: counter, process: life.identity,
        bootClock: stamp,
        wallClockNanoseconds: 0))
  }

  private mutating func startNode(_ claim: Claim, replacing replaced: ReplacedClaim?, _ life: inout Life) {
    life.claim = claim
    life.nodeStarts &+= 1
    noteNodeStart(&life)
    noteSpliceAtStart(&life)
    if !settings.without.contains(.stateFromClaim) {
      life.soundRevision = life.claimedState.channel?.revision ?? 0
    }
    life.nodeQueue.append(.started(claim, life.claimedState, replacing: replaced))
  }

  // MARK: What was received

  private mutating func readReceived(_ hash: Bytes32?, _ life: inout Life) {
    let found: ArraySlice<Receipt>
    if let hash {
      found = container.value.received.filter { $0.invoice.paymentHash == hash }[...]
    } else {
      found = container.value.received.suffix(from: min(life.newestReceived, container.value.received.count))
    }
    let inChannel = container.value.node.channel?.htlcs ?? []
    let settled = found.filter { receipt in
      !inChannel.contains { $0.direction == .received && $0.paymentHash == receipt.invoice.paymentHash }
    }
    life.guardQueue.append(.receivedFound(settled.map { ReceivedPayment($0) }))
  }
}

extension NotificationContent {
  /// As the wallet's processes write it.
  var asText: NotificationText {
    var text = NotificationText(title: title, body: body, badgeIncrement: badgeIncrement)
    if kind == .payment {
      text.level = .timeSensitive
      text.sound = "default"
      text.category = NotificationCategory.incomingPayment.id
    }
    return text
  }
}
