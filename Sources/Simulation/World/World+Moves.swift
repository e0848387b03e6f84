import Ground
import Guardrails
import Lightning
import PhonePolicy

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
      tellPhone(.personOpened)
    case .home:
      openedAt = nil
      tellPhone(.personWentHome)
    case .quit:
      openedAt = nil
      tellPhone(.personQuit)
    case .invoice: makeInvoice()
    case .pay(let invoice): pay(invoice)
    case .payPart(let invoice, let part, let count): pay(invoice, part: part, of: count)
    case .send(let number, let isKnown): send(number, isKnown: isKnown)
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
    case .slow(let wire): if let index = wireIndex(wire) { wires[index].isSlow = true }
    case .restartPeer: restartPeer()
    case .replaceLock(let role): replaceLock(role)
    case .loseBeat(let role): container.value.beats[role] = nil
    case .reboot: reboot()
    case .deviceSleeps(let span): peerNow = peerNow + span
    case .losePush: losesNextPush = true
    case .stepClock(let span): stepClock(span)
    case .copyDatabase: oldCopy = container
    case .restoreCopy: restoreOldCopy()
    case .noMoreFaults: endFaults()
    }
    letPhoneHear()
    checkDrivers()
  }

  // MARK: A process

  /// Does the next thing in the order of a real process: a directive is carried out, and what it leads the cores to
  /// think is thought at once, as nobody else can see that.
  private mutating func work(_ role: Role) {
    withLife(role) { world, life in
      if let directive = life.nodeTodo.popFirst() {
        world.carryOut(directive, &life)
      } else if let directive = life.guardTodo.popFirst() {
        world.carryOut(directive, &life)
      }
    }
  }

  /// Until the next directive is to be carried out, or nothing is left to think about.
  private mutating func think(_ life: inout Life) {
    while life.nodeTodo.isEmpty {
      if let event = life.nodeQueue.popFirst() {
        life.nodeTodo += handle(event, &life)
        continue
      }
      guard life.guardTodo.isEmpty else { return }
      if let event = life.guardQueue.popFirst() {
        life.guardTodo += handle(event, &life)
      } else if let news = life.posted.popFirst() {
        if news.nodeStarts == nil || news.nodeStarts == life.nodeStarts {
          life.guardQueue.append(news.event)
        }
      } else {
        return
      }
    }
  }

  private mutating func handle(_ next: NodeEvent, _ life: inout Life) -> [NodeDirective] {
    let event = withPast(next)
    let before = life.node.stage
    let directives = life.node.handle(event, at: now)
    if before != life.node.stage { hasEffect.value = true }
    ways.add(.node, before, life.node.stage)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    return directives
  }

  private mutating func handle(_ event: GuardEvent, _ life: inout Life) -> [GuardDirective] {
    say(.heard(life.role, event))
    excuseTasks(after: event, &life)
    if settings.without.contains(.ownPause) { life.guardValue.ignorePause(at: now) }
    let directives = life.guardValue.handle(event, at: now, &ways)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    return directives
  }

  /// Takes the process out while it works: what it does must not reach it by another way.
  mutating func withLife(_ role: Role, _ body: (inout World, inout Life) -> Void) {
    guard var life = lives[role], !life.value.isStopped else { return }
    lives[role] = nil
    body(&self, &life.value)
    think(&life.value)
    checkTasksOfPayments(life.value)
    lives[role] = life
    if life.value.hasEnded { end(role, .exited(code: 0)) }
  }

  private mutating func wake(_ role: Role) {
    let instant = now
    withLife(role) { world, life in
      world.workInBackground(&life)
      if let deadline = life.node.deadline, deadline <= instant { life.nodeQueue.append(.deadlineReached) }
      if let deadline = life.guardValue.deadline, deadline <= instant {
        life.guardQueue.append(.deadlineReached)
      }
    }
  }

  private mutating func hear(_ role: Role) {
    withLife(role) { world, life in
      guard let mail = life.inbox.popFirst() else { return world.hearOfTask(&life) }
      guard case .word(let event) = mail else {
        if case .send(let number) = mail { world.hearOfSend(number, &life) }
        if case .withdraw(let number) = mail { world.hearOfWithdrawal(number, &life) }
        return
      }
      world.changeBackgroundWork(after: event)
      if event == .enteredBackground { life.timeInBackground = life.timesToHear.popFirst() }
      if case .pushArrived = event { life.newestReceived = world.container.value.received.count }
      life.guardQueue.append(event)
    }
  }

  private mutating func readLetter(_ index: Int) {
    guard letters.indices.contains(index) else { return }
    let letter = letters.remove(at: index)
    withLife(letter.to) { world, life in
      // That something was written is read with what is written by then.
      if case .observed = letter.event {
        life.guardQueue.append(.observed(world.observation(by: life)))
      } else {
        life.guardQueue.append(letter.event)
      }
    }
  }
}
