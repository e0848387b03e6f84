import Ground
import Guardrails
import Lightning
import LightningProvider
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
    case .slow(let wire): wires.change(wire) { $0.isSlow = true }
    case .restartPeer: restartPeer()
    case .stopPeer: stopPeer()
    case .startPeer: startPeer()
    case .replaceLock(let role): replaceLock(role)
    case .loseBeat(let role): container.value.beats[role] = nil
    case .failStorage(let role, let fault): if lives[role] != nil { storage.armed[role] = fault }
    case .fillDisk(let isFull): storage.isFull = isFull
    case .reboot: reboot()
    case .deviceSleeps(let span): passAsleep(span)
    case .losePush: pushing.losesNext = true
    case .stepClock(let span): clock.step(span)
    case .copyDatabase: copies.kept = container
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
    var observer = WorldObserver(role: life.role, isRecorded: isRecorded, ways: ways)
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
  private(set) var stages: [UInt8] = []
  private(set) var nodeStage: NodeMachine.Stage?

  mutating func willHandle(_ event: GuardEvent, _ guardrail: WorldGuard) {
    stages.removeAll(keepingCapacity: true)
    guardrail.noteStages { stages.append($1) }
  }

  mutating func willHandle(_ event: NodeEvent, _ node: NodeMachine) {
    nodeStage = node.stage
    if case .started(let claim, let state, _) = event { started = (claim, state) }
  }

  mutating func handled(_ record: PartRecord, _ guardrail: WorldGuard, _ node: NodeMachine) {
    if isRecorded { said.append(.core(.wallet(role, record))) }
    switch record {
    case .guardrail(let event, let directives): handled(event, directives, guardrail)
    case .node(_, let directives):
      if let before = nodeStage, before != node.stage {
        hasNodeMoved = true
        ways.add(.node, from: before.rawValue, to: node.stage.rawValue)
      }
      if !directives.isEmpty { hasDecided = true }
    case .requests, .background, .incoming, .opening: break
    }
  }

  private mutating func handled(
    _ event: GuardEvent, _ directives: [GuardDirective], _ guardrail: WorldGuard
  ) {
    var before = stages[...]
    guardrail.noteStages { machine, stage in
      if let from = before.popFirst() { ways.add(machine, from: from, to: stage) }
    }
    if !directives.isEmpty { hasDecided = true }
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
}

/// One step of a world. Everything else follows from these.
public enum Move: Hashable, Sendable {
  // Steps without a user, sender or fault.
  /// The process carries out its next order.
  case work(Role)
  /// The process handles its expired deadline.
  case wake(Role)
  /// The process reads the next event of the phone.
  case hear(Role)
  case readPresence(Int)
  /// The peer reads the next packet of a connection, or its end.
  case peerReads(wire: UInt64)
  case walletReads(wire: UInt64)
  case peerWakes
  /// A sender that tries again handles its expired deadline.
  case senderWakes(Int)
  case phoneWakes
  case timePasses(until: Instant)

  // The user and the senders.
  case open
  case home
  case quit
  case invoice
  case pay(Int)
  /// One of several parts of about equal size.
  case payPart(Int, part: Int, of: Int)
  /// The user pays this external invoice. A new number makes a new invoice; `isKnown`: its recipient knows the hash.
  case send(Int, isKnown: Bool)
  /// The user cancels this invoice of the wallet.
  case cancel(Int)
  /// The user withdraws this amount on chain by a splice.
  case withdraw(UInt64)
  /// The user presses a button of the app's screen, if it is there.
  case press(ScreenButton)
  /// The user follows a link of the wallet.
  case followLink
  /// The app begins a background task that does not involve the node.
  case beginTask
  case endTask
  /// The user takes the wallet's other device in hand, and opens the app: the same seed, another container.
  case takeOtherDevice
  /// The user asks the app in front to move the wallet to this device.
  case askToMove
  /// A step of the device that the user does not have in hand.
  indirect case onOther(Move)

  // Faults.
  case network(isThere: Bool)
  case kill(Role)
  case freeze(Role)
  /// Freezes the process inside the transaction that it is about to begin.
  case freezeInside(Role)
  case thaw(Role)
  case losePresence(Int)
  case repeatPresence(Int)
  case delayPresence(Int)
  case cut(wire: UInt64)
  case slow(wire: UInt64)
  case restartPeer
  case stopPeer
  case startPeer
  /// A new plain file replaces a role's lock file.
  case replaceLock(Role)
  case loseBeat(Role)
  /// The process's next operation of this kind fails.
  case failStorage(Role, StorageFault)
  /// The disk is full, or has room again.
  case fillDisk(Bool)
  case reboot
  /// The device sleeps: the phone's clock stands still, the peer's clock runs.
  case deviceSleeps(TimeSpan)
  case losePush
  /// The user copies the database.
  case copyDatabase
  /// The phone is switched off, the copy replaces the database, and the phone is switched on.
  case restoreCopy
  /// The wall clock is set forward, or back.
  case stepClock(TimeSpan)
  /// The fault period ends. Then the user has the app in front, or stays away.
  case noMoreFaults(userStaysAway: Bool)
}

// The moves that need no user, sender or fault.
extension World {
  /// Both processes' summaries.
  var glances: Glances { lives.glances }

  var otherGlances: Glances? { otherDevice?.part { $0.pointee.lives.glances } }

  /// Everything that is due at this instant.
  public func ready(into moves: inout [Move]) { ready(into: &moves, glances) }

  func ready(into moves: inout [Move], _ glances: PerRole<Life.Glance?>) {
    readyHere(glances, presenceQueue, phone.deadline, at: now) { moves.append($0) }
    readyOnOther { moves.append(.onOther($0)) }
    for wire in wires.all where wire.isReadableForPeer && !wire.isSlow {
      moves.append(.peerReads(wire: wire.id))
    }
    if let deadline = peerDeadline, deadline <= peerNow { moves.append(.peerWakes) }
    for number in senders.due(at: peerNow) { moves.append(.senderWakes(number)) }
  }

  private var peerDeadline: Instant? { isPeerDown ? nil : peer.part { $0.pointee.deadline } }

  private func readyOnOther(_ add: (Move) -> Void) {
    guard let glances = otherGlances else { return }
    otherDevice?.part {
      readyHere(glances, $0.pointee.presenceQueue, $0.pointee.phone.deadline, at: $0.pointee.clock.now, add)
    }
  }

  /// The moves of one device.
  private func readyHere(
    _ glances: PerRole<Life.Glance?>, _ queue: [QueuedPresence], _ phoneWakesAt: Instant?, at now: Instant,
    _ add: (Move) -> Void
  ) {
    for role in [Role.app, .extension] {
      guard let life = glances[role], !life.isStopped else { continue }
      guard life.isIdle, !life.isStarting else {
        if !life.isStarting { add(.work(role)) }
        if life.isStarting, let startsAt = life.deadline, startsAt <= now { add(.wake(role)) }
        continue
      }
      if life.hasInbox { add(.hear(role)) }
      if let deadline = life.deadline, deadline <= now { add(.wake(role)) }
      for index in queue.indices where queue[index].to == role && !queue[index].isLate {
        add(.readPresence(index))
      }
      for wire in wires.all where wire.owner == life.pid && !wire.isAbandoned {
        if !wire.isAccepted || !wire.toWallet.isEmpty || wire.isShutByPeer {
          add(.walletReads(wire: wire.id))
        }
      }
    }
    if let phoneWakesAt, phoneWakesAt <= now { add(.phoneWakes) }
  }

  /// The earliest deadline of a process, the phone or the peer; nil if there is none.
  public var nextInstant: Instant? { nextInstant(glances) }

  func nextInstant(_ glances: PerRole<Life.Glance?>) -> Instant? {
    var next = Self.next(
      [
        glances.app?.deadline, glances.notifier?.deadline, phone.deadline,
        exclusion?.value.nextExpiry(in: self),
      ], after: now)
    func consider(_ instant: Instant) { if instant > now { next = next.map { min($0, instant) } ?? instant } }
    if let span = otherSleepsFor { consider(now + span) }
    // `.max` means never.
    if let deadline = peerDeadline, deadline.nanoseconds != .max { consider(now + (deadline - peerNow)) }
    for deadline in senders.deadlines { consider(now + (deadline - peerNow)) }
    return next
  }

  /// The time to the next deadline of the device that is not in hand.
  private var otherSleepsFor: TimeSpan? {
    guard let glances = otherGlances else { return nil }
    return otherDevice?.part { device in
      let now = device.pointee.clock.now
      return Self.next(
        [glances.app?.deadline, glances.notifier?.deadline, device.pointee.phone.deadline], after: now
      ).map { $0 - now }
    }
  }

  private static func next(_ deadlines: [Instant?], after now: Instant) -> Instant? {
    deadlines.lazy.compactMap { $0 }.filter { $0 > now }.min()
  }

  /// The clock of the device in hand stands still, the peer's runs. The other device runs on to its next deadline, if
  /// it has nothing to do before, and sleeps then too.
  mutating func passAsleep(_ span: TimeSpan) {
    clock.passAsleep(span)
    announcements.value.noteSleep(span)
    var isBusy = false
    readyOnOther { _ in isBusy = true }
    guard !isBusy else { return }
    let awake = otherSleepsFor.map { min($0, span) } ?? span
    otherDevice?.value.clock.passAside(awake)
  }

  mutating func passTime(until instant: Instant) {
    let span = instant - now
    guard clock.pass(until: instant) else { return }
    otherDevice?.value.clock.passAside(span)
    guard !settings.reusesNumbers else { return }
    checkSilence()
    onOtherDevice { $0.checkSilence() }
    checkAnnounced()
  }
}

// Faults of processes and files.
extension World {
  mutating func freeze(_ role: Role) {
    lives[role]?.value.isFrozen = true
    if !settings.reusesNumbers { lives[role]?.value.frozenSince = clock.now }
  }

  /// Frozen between BEGIN and COMMIT of its next write; no other process can write until it thaws or dies.
  mutating func freezeInside(_ role: Role) {
    guard let life = lives[role], !life.value.isFrozen, container.value.writer == nil,
      life.value.isAboutToWrite
    else { return }
    container.value.writer = life.value.identity.pid
    freeze(role)
  }

  public func isAboutToWrite(_ role: Role) -> Bool {
    lives[role]?.value.isAboutToWrite == true && container.value.writer == nil
  }

  mutating func thaw(_ role: Role) {
    guard lives[role]?.value.isFrozen == true else { return }
    lives[role]?.value.isFrozen = false
    lives[role]?.value.wallet.guardrail.foreign?.noteThaw()
    lives[role]?.value.runningSince = clock.now
    lives[role]?.value.thawedAt = clock.now
  }

  /// The phone is switched off and on with an older database. The receipts since then are lost: the peer's backup
  /// does not have them.
  mutating func restoreOldCopy() {
    guard let copy = copies.kept else { return }
    reboot()
    deliverPhoneEvents()
    copies.noteRestored(copy.value, inPlaceOf: container.value)
    sending.forget(container.value, unknownTo: copy.value)
    openAgain(leaving: container.value, for: copy.value)
    container.value.row = copy.value.row
    container.value.node = copy.value.node
    container.value.past = copy.value.past
    container.value.waits = copy.value.waits
    container.value.received = copy.value.received
    container.value.cancelled = copy.value.cancelled
    // Such a payment is received again, with a new notification.
    for hash in copies.forgotten { pushing.withdraw(hash.hex) }
  }

  /// The backups of the peer, also one that it has not stored yet.
  var backups: [NodeBackup] {
    peer.part { [$0.pointee.state.backup, $0.pointee.waitingBackup] }.compactMap { $0.flatMap(Self.backup) }
  }

  /// Sent, and not read by the peer yet.
  var backupsInFlight: [NodeBackup] {
    wires.all.flatMap { wire in
      wire.toPeer.compactMap { packet in
        if case .peerStorage(let blob) = packet.message { Self.backup(blob) } else { nil }
      }
    }
  }

  private static func backup(_ blob: Blob) -> NodeBackup? {
    if case .backup(let backup) = NodeBackup.read(blob.array) { backup } else { nil }
  }

  /// A restart of the peer has lost the newest backup, and the database is older too (an old copy, or of another
  /// device): no wallet can recover from that. A real one asks the peer to close the channel.
  var isStateLost: Bool {
    guard hasLostBackup else { return false }
    var channel = peer.value.state.channel
    channel.disconnected()
    guard case .channelReestablish(let theirs) = channel.reestablish() else { return false }
    let known = backups.map(\.channel) + (container.value.node.channel.map { [$0] } ?? [])
    let outdated = known.filter { $0.isBehind(theirs) }
    // Also a state that its own numbers do not show outdated, but an outdated newer one does.
    return known.allSatisfy { channel in
      channel.isBehind(theirs) || outdated.contains { $0.isNewer(than: channel) }
    }
  }

  mutating func endFaults() {
    endFaultsHere()
    onOtherDevice { $0.endFaultsHere() }
    wires.slowNone()
  }

  private mutating func endFaultsHere() {
    pushing.losesNext = false
    storage.armed = PerRole(nil, nil)
    storage.isFull = false
    storage.incomingBlockedUntil = nil
    for index in presenceQueue.indices { presenceQueue[index].isLate = false }
  }

  mutating func replaceLock(_ role: Role) {
    container.value.replaceLock(role)
    lockReplacedAt = now
  }
}

extension Life {
  var isAboutToWrite: Bool {
    switch orders.first {
    case .container(.write)?, .container(.guardrail(.claim))?, .container(.guardrail(.raiseEpoch))?: true
    default: false
    }
  }

  /// The database's lock file, if a pending order writes or reads there: the phone may suspend the process at any of
  /// them, and a read transaction is a lock too.
  var databaseInUse: String? {
    let usesDatabase = orders.contains {
      if case .container(let order) = $0 { order.usesDatabase } else { false }
    }
    return usesDatabase && !isFrozen ? Container.databaseLock : nil
  }
}

extension ContainerOrder {
  fileprivate var usesDatabase: Bool {
    switch self {
    case .guardrail(.raiseIntent), .guardrail(.withdrawIntent), .guardrail(.beat), .guardrail(.dropLock):
      false
    default: true
    }
  }
}
