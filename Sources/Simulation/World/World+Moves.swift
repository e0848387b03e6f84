import Ground
import Guardrails
import PhonePolicy
import Wallet

// One move and its immediate effects.
extension World {
  /// A move that does not apply changes nothing.
  public mutating func make(_ move: Move) {
    if case .onOther(let inner) = move { return onOtherDevice { $0.make(inner) } }
    say(.move(move))
    switch move {
    case .work(let role): work(role)
    case .wake(let role): wake(role)
    case .hear(let role): hear(role)
    case .readPresence(let index): readPresence(index)
    case .peerReads(let wire): peerReads(wire)
    case .walletReads(let wire): walletReads(wire)
    case .peerWakes: tellPeer(.deadlineReached)
    case .senderWakes(let number): senderWakes(number)
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
    case .press(let button): pressIfThere(button)
    case .followLink: followLink()
    case .beginTask: task(isOn: true)
    case .endTask: task(isOn: false)
    case .network(let isThere): tellPhone(.deviceChanged(.network(isThere)))
    case .kill(let role): kill(role)
    case .freeze(let role): freeze(role)
    case .freezeInside(let role): freezeInside(role)
    case .thaw(let role): thaw(role)
    case .losePresence(let index):
      if presenceQueue.indices.contains(index) { presenceQueue.remove(at: index) }
    case .repeatPresence(let index):
      if presenceQueue.indices.contains(index) { presenceQueue.append(presenceQueue[index]) }
    case .delayPresence(let index):
      if presenceQueue.indices.contains(index) { presenceQueue[index].isLate = true }
    case .cut(let wire): cut(wire)
    case .slow(let wire): wires.slow(wire)
    case .restartPeer: restartPeer()
    case .stopPeer: stopPeer()
    case .startPeer: startPeer()
    case .replaceLock(let role): replaceLock(role)
    case .loseBeat(let role): container.value.beats[role] = nil
    case .failStorage(let role, let fault): if lives[role] != nil { storage.armed[role] = fault }
    case .fillDisk(let isFull): storage.isFull = isFull
    case .reboot: reboot()
    case .deviceSleeps(let span): passAsleep(span)
    case .losePush: pushing.loseNext(true)
    case .stepClock(let span): clock.step(span)
    case .copyDatabase: copies.keep(container)
    case .restoreCopy: restoreOldCopy()
    case .takeOtherDevice: takeOtherDevice()
    case .askToMove: askToMove()
    case .onOther: break
    case .noMoreFaults: endFaults()
    }
    deliverPhoneEvents()
    onOtherDevice { $0.deliverPhoneEvents() }
    checkDrivers()
    checkKept()
  }

  // MARK: A process

  /// Carries out one order; `withLife` then handles its answers at once, as no other process can observe that step.
  private mutating func work(_ role: Role) {
    withLife(role) { world, life in
      let order = life.orders.popFirst()
      if let order { world.checkTellsOnly(order, life) }
      switch order {
      case .container(let order)?: world.carryOut(order, &life)
      case .wire(let order)?: world.carryOut(order, &life)
      case .phone(let order)?:
        world.hasEffect.value = true
        world.carryOut(order, &life)
      case nil: break
      }
    }
  }

  /// Handles answers until there is an order, or no answer is left.
  private mutating func handleAnswers(_ life: inout Life) {
    while life.orders.isEmpty, let event = life.answers.popFirst() { life.orders += handle(event, &life) }
  }

  private mutating func handle(_ event: WalletEvent, _ life: inout Life) -> [WalletDirective] {
    var observer = WorldObserver(life.role, isRecorded: isRecorded, ways)
    let directives = life.wallet.handle(event, at: now, &observer)
    if takesPlace(directives) { life.takesPlace = true }
    ways = observer.ways
    said += observer.said.map(ofDevice)
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

  /// Removes the process from `lives` while it works, so that `body` reaches it only through its parameter.
  mutating func withLife(_ role: Role, _ body: (inout World, inout Life) -> Void) {
    guard var life = lives[role], !life.value.isStopped else { return }
    lives[role] = nil
    body(&self, &life.value)
    handleAnswers(&life.value)
    checkTasksOfPayments(life.value)
    if !life.value.heardPushes.isEmpty { checkTellsInTime(life.value) }
    if life.value.isIdle { life.value.emptyReads = [] }
    lives[role] = life
    if life.value.hasEnded { end(role, .exited(code: 0)) }
  }

  private mutating func wake(_ role: Role) {
    if let startsAt = lives[role]?.value.startsAt {
      if startsAt <= now { launched(role) }
      return
    }
    withLife(role) { _, life in life.answers.append(.deadlineReached) }
  }

  private mutating func hear(_ role: Role) {
    withLife(role) { world, life in
      guard let event = life.inbox.popFirst() else { return }
      if event == .guardrail(.enteredBackground) { life.timeInBackground = life.timesToHear.popFirst() }
      world.noteRun(event, &life)
      world.noteMoveIsHeard(event)
      world.noteHeard(event, &life)
      life.answers.append(event)
    }
  }

  private mutating func readPresence(_ index: Int) {
    guard presenceQueue.indices.contains(index) else { return }
    let queued = presenceQueue.remove(at: index)
    withLife(queued.to) { world, life in
      // The notice of a write brings the value at the time of reading.
      if case .observed = queued.event {
        world.carryOut(ContainerOrder.guardrail(.look), &life)
      } else {
        life.answer(queued.event)
      }
    }
  }
}

/// Observes a wallet's decisions, for checks and stories.
struct WorldObserver: WalletObserver {
  let role: Role
  /// Whether the story is recorded in `said`.
  let isRecorded: Bool
  private(set) var said: [Said] = []
  private(set) var ways: Ways
  private(set) var hasDecided = false
  private(set) var hasNodeMoved = false
  /// Claim and state of the node's last start.
  private(set) var started: (claim: Claim, state: NodeState)?
  /// The event ends tasks although their requests are still open.
  private(set) var excusesTasks = false
  /// The newest status of the guard.
  private(set) var shown: Status?
  private var stages: [UInt8] = []
  private var nodeStage: NodeMachine.Stage?

  init(_ role: Role, isRecorded: Bool, _ ways: Ways) {
    self.role = role
    self.isRecorded = isRecorded
    self.ways = ways
  }

  mutating func willHandle(_ event: GuardEvent, _ guardrail: WorldGuard) {
    stages.removeAll(keepingCapacity: true)
    guardrail.noteStages { stages.append($1) }
    if isRecorded { said.append(.heard(role, event)) }
  }

  mutating func handled(_ event: GuardEvent, _ directives: [GuardDirective], _ guardrail: WorldGuard) {
    var before = stages[...]
    guardrail.noteStages { machine, stage in
      if let from = before.popFirst() { ways.add(machine, from: from, to: stage) }
    }
    if !directives.isEmpty { hasDecided = true }
    if isRecorded { said += directives.map { .ordered(role, $0) } }
    for directive in directives { if case .phone(.show(let status)) = directive { shown = status } }
    switch event {
    case .backgroundTimeExpired, .terminationRequested, .node(.fenced), .node(.refused), .claimFailed:
      excusesTasks = true
    default:
      // Its beat found the node owned by another process.
      if event.lossOfContainer != nil || directives.contains(.node(.stopNode(gracefully: false))) {
        excusesTasks = true
      }
    }
  }

  mutating func willHandle(_ event: NodeEvent, _ node: NodeMachine) {
    nodeStage = node.stage
    if case .started(let claim, let state, _) = event { started = (claim, state) }
  }

  mutating func handled(_ event: NodeEvent, _ directives: [NodeDirective], _ node: NodeMachine) {
    if let before = nodeStage, before != node.stage {
      hasNodeMoved = true
      ways.add(.node, from: before.rawValue, to: node.stage.rawValue)
    }
    if !directives.isEmpty { hasDecided = true }
  }

  func handled(_: RequestEvent, _: [RequestDirective]) {}
  func handled(_: BackgroundEvent, _: [BackgroundDirective]) {}
}
