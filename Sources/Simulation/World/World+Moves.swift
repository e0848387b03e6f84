import Ground
import Guardrails
import PhonePolicy
import Wallet

// One move, and what follows from it at once.
extension World {
  /// A move that makes no sense here changes nothing.
  public mutating func make(_ move: Move) {
    say(.move(move))
    switch move {
    case .work(let role): work(role)
    case .wake(let role): wake(role)
    case .hear(let role): hear(role)
    case .readLetter(let index): readLetter(index)
    case .peerReads(let wire): peerReads(wire)
    case .walletReads(let wire): walletReads(wire)
    case .peerWakes: tellPeer(.deadlineReached)
    case .phoneWakes: tellPhone(.deadlineReached)
    case .timePasses(let instant): passTime(until: instant)
    case .open:
      noteOpening()
      tellPhone(.userOpened)
    case .home:
      opening.giveUp()
      tellPhone(.userWentHome)
    case .quit:
      opening.giveUp()
      tellPhone(.userQuit)
    case .invoice: makeInvoice()
    case .pay(let invoice): pay(invoice)
    case .payPart(let invoice, let part, let count): pay(invoice, part: part, of: count)
    case .send(let number, let isKnown): send(number, isKnown: isKnown)
    case .cancel(let invoice): cancel(invoice)
    case .withdraw(let amountSat): withdraw(amountSat)
    case .beginTask: task(isOn: true)
    case .endTask: task(isOn: false)
    case .network(let isThere): tellPhone(.deviceChanged(.network(isThere)))
    case .kill(let role): kill(role)
    case .freeze(let role): freeze(role)
    case .freezeInside(let role): freezeInside(role)
    case .thaw(let role): thaw(role)
    case .loseLetter(let index): if letters.indices.contains(index) { letters.remove(at: index) }
    case .repeatLetter(let index): if letters.indices.contains(index) { letters.append(letters[index]) }
    case .delayLetter(let index): if letters.indices.contains(index) { letters[index].isLate = true }
    case .cut(let wire): cut(wire)
    case .slow(let wire): wires.slow(wire)
    case .restartPeer: restartPeer()
    case .replaceLock(let role): replaceLock(role)
    case .loseBeat(let role): container.value.beats[role] = nil
    case .failStorage(let role, let fault): if lives[role] != nil { storage.armed[role] = fault }
    case .fillDisk(let isFull): storage.isFull = isFull
    case .reboot: reboot()
    case .deviceSleeps(let span): clock.passAsleep(span)
    case .losePush: pushing.loseNext(true)
    case .stepClock(let span): clock.step(span)
    case .copyDatabase: copies.keep(container)
    case .restoreCopy: restoreOldCopy()
    case .noMoreFaults: endFaults()
    }
    letPhoneHear()
    checkDrivers()
  }

  // MARK: A process

  /// Does the next thing in the order of a real process: an order is carried out, and what its answer leads the wallet to
  /// think is thought at once, as nobody else can see that.
  private mutating func work(_ role: Role) {
    withLife(role) { world, life in
      switch life.orders.popFirst() {
      case .container(let order)?: world.carryOut(order, &life)
      case .wire(let order)?: world.carryOut(order, &life)
      case .phone(let order)?:
        world.hasEffect.value = true
        world.carryOut(order, &life)
      case nil: break
      }
    }
  }

  /// Until the next order is to be carried out, or nothing is left to think about.
  private mutating func think(_ life: inout Life) {
    while life.orders.isEmpty, let event = life.answers.popFirst() { life.orders += handle(event, &life) }
  }

  private mutating func handle(_ event: WalletEvent, _ life: inout Life) -> [WalletDirective] {
    var observer = WorldObserver(life.role, isHeard: isHeard, ways)
    let directives = life.wallet.handle(event, at: now, &observer)
    ways = observer.ways
    said += observer.said
    if observer.hasDecided { deliveredEvents &+= 1 }
    if observer.hasNodeMoved { hasEffect.value = true }
    if observer.excusesTasks { life.excusedTasks = life.wallet.requests.generation }
    if let shown = observer.shown { checkShown(shown, directives) }
    if let (claim, state) = observer.started {
      life.claim = claim
      life.hasStarted = true
      if !settings.without.contains(.stateFromClaim) { life.soundRevision = state.channel?.revision ?? 0 }
    }
    return directives
  }

  /// Takes the process out while it works: what it does must not reach it by another way.
  mutating func withLife(_ role: Role, _ body: (inout World, inout Life) -> Void) {
    guard var life = lives[role], !life.value.isStopped else { return }
    lives[role] = nil
    body(&self, &life.value)
    think(&life.value)
    checkTasksOfPayments(life.value)
    if life.value.isIdle { life.value.heardOfNothing = [] }
    lives[role] = life
    if life.value.hasEnded { end(role, .exited(code: 0)) }
  }

  private mutating func wake(_ role: Role) {
    withLife(role) { _, life in life.answers.append(.deadlineReached) }
  }

  private mutating func hear(_ role: Role) {
    withLife(role) { world, life in
      guard let event = life.inbox.popFirst() else { return }
      if event == .guardrail(.enteredBackground) { life.timeInBackground = life.timesToHear.popFirst() }
      world.noteRun(event, &life)
      life.answers.append(event)
    }
  }

  private mutating func readLetter(_ index: Int) {
    guard letters.indices.contains(index) else { return }
    let letter = letters.remove(at: index)
    withLife(letter.to) { world, life in
      // That something was written is read with what is written by then.
      if case .observed = letter.event {
        life.answer(.observed(world.observationOfOther))
      } else {
        life.answer(letter.event)
      }
    }
  }
}
