import Ground
import PhonePolicy
import Wallet

/// One state of an exploration: a world, and the remaining bounds.
struct Place: Hashable, Sendable {
  var world: World
  var left: Bounds
  /// The process at work; a move of the other one is a preemption.
  var atWork: Worker?
  /// How long the last step took. Not part of the state.
  var passed = Unhashed(TimeSpan.zero)

  /// A process; of two devices that in hand, or the other.
  struct Worker: Hashable, Sendable {
    var role: Role
    var isOnOther = false
  }

  /// The explorer also branches just before a deadline.
  private static let justBefore = TimeSpan.milliseconds(1)

  /// All possible moves; those that need no user or fault come first. Returns whether there are none of those.
  @discardableResult func moves(into moves: inout [Move]) -> Bool {
    moves.removeAll(keepingCapacity: true)
    let glances = world.glances
    if let step = forced(glances) {
      moves.append(step)
      return false
    }
    world.ready(into: &moves, glances)
    let isQuiet = moves.isEmpty
    if isQuiet { addTime(to: &moves, glances) }
    addLate(to: &moves, glances)
    if left[.preemptions] == 0, atWork != nil { moves.removeAll { overtakes($0) } }
    if glances.areIdle, world.otherGlances?.areIdle ?? true, !moves.contains(where: \.isWaking) {
      addUserMoves(to: &moves)
      addUserMovesOnOther(to: &moves)
    }
    addProcessFaults(to: &moves, glances)
    addFaultsOnOther(to: &moves)
    addOtherFaults(to: &moves)
    return isQuiet
  }

  // MARK: Successors

  /// States with only one move are not stored, up to this many in a row.
  private static let chainMax = 200

  /// The state after a move and the forced moves that follow it.
  func after(_ move: Move, onMove: (inout World) -> Void = { _ in }) -> Place {
    var next = self
    next.world.ways = Ways()
    var moves: [Move] = [move]
    for _ in 0..<Self.chainMax {
      if case .timePasses(let instant) = moves[0] {
        next.pass(until: instant, onMove)
      } else {
        next.make(moves[0])
        onMove(&next.world)
      }
      guard next.world.violation == nil else { break }
      next.moves(into: &moves)
      guard moves.count == 1, !moves[0].isTime else { break }
    }
    next.passed.value = next.world.peerNow - .zero
    next.world.normalise()
    return next
  }

  /// Makes one move and spends its allowance.
  mutating func make(_ move: Move) {
    let mover = mover(move)
    if let price = move.price { left.spend(price) }
    if overtakes(move) { left.spend(.preemptions) }
    world.make(move)
    let (glances, its) = (world.glances, world.otherGlances)
    func isAtWork(_ worker: Worker) -> Bool {
      (worker.isOnOther ? its : glances)?.isAtWork(worker.role) ?? false
    }
    if move != .takeOtherDevice, let mover, isAtWork(mover) {
      atWork = mover
    } else {
      atWork = Self.workers.first(where: isAtWork)
    }
  }

  private static let workers = [
    Worker(role: .app), Worker(role: .extension), Worker(role: .app, isOnOther: true),
    Worker(role: .extension, isOnOther: true),
  ]

  // MARK: Preemption

  /// On a real phone both processes run at once; here one works until it waits, unless the other one preempts it.
  /// Freezing the process at work costs a freeze and no preemption.
  private func overtakes(_ move: Move) -> Bool {
    guard let atWork, let mover = mover(move) else { return false }
    return mover != atWork
  }

  private func mover(_ move: Move) -> Worker? {
    if case .onOther(let inner) = move {
      return world.otherDevice?.part { mover(inner, $0.pointee.presenceQueue, $0.pointee.lives) }.map {
        Worker(role: $0, isOnOther: true)
      }
    }
    return mover(move, world.presenceQueue, world.lives).map { Worker(role: $0) }
  }

  private func mover(_ move: Move, _ queue: [QueuedPresence], _ lives: PerRole<Boxed<Life>?>) -> Role? {
    switch move {
    case .work(let role), .wake(let role), .hear(let role), .thaw(let role): role
    case .readPresence(let index): queue[index].to
    case .walletReads(let id): world.wires[id].flatMap { lives.role(ofPid: $0.owner) }
    default: nil
    }
  }

  private func addUserMovesOnOther(to moves: inout [Move]) {
    if left[.moves] > 0 { moves.append(.takeOtherDevice) }
    guard let other = world.otherDevice?.value else { return }
    if world.isServedElsewhere, !world.moving.isAsked(at: world.now), world.phone.app == .foreground {
      moves.append(.askToMove)
    }
    addOpening(other.phone.app) { moves.append(.onOther($0)) }
  }

  private func addOpening(_ app: AppState, _ add: (Move) -> Void) {
    switch app {
    case .foreground, .launching(intoForeground: true): add(.home)
    case .notRunning, .background, .suspended, .launching, .terminating: if left[.opens] > 0 { add(.open) }
    }
  }

  /// Processes of the device that is not in hand die, freeze and thaw; its network comes back.
  private func addFaultsOnOther(to moves: inout [Move]) {
    guard let other = world.otherDevice, let glances = world.otherGlances else { return }
    let (hasNetwork, hasWriter) = other.part {
      ($0.pointee.phone.device.hasNetwork, $0.pointee.container.part { $0.pointee.writer } != nil)
    }
    if !hasNetwork { moves.append(.onOther(.network(isThere: true))) }
    for role in [Role.app, .extension] {
      guard let life = glances[role] else { continue }
      addEnds(Worker(role: role, isOnOther: true), life, hasWriter, to: &moves) { .onOther($0) }
    }
  }

  /// The process dies, freezes or thaws. A waiting process is frozen only when its event has come.
  private func addEnds(
    _ worker: Worker, _ life: Life.Glance, _ hasWriter: Bool, to moves: inout [Move],
    _ onDevice: (Move) -> Move
  ) {
    let role = worker.role
    if left[.crashes] > 0 { moves.append(onDevice(.kill(role))) }
    if life.isFrozen {
      let thaw = onDevice(.thaw(role))
      if left[.preemptions] > 0 || !overtakes(thaw) { moves.append(thaw) }
    } else if left[.freezes] > 0, moves.contains(where: { mover($0) == worker }) {
      moves.append(onDevice(.freeze(role)))
      if life.isAboutToWrite, !hasWriter { moves.append(onDevice(.freezeInside(role))) }
    }
  }

  private func addTime(to moves: inout [Move], _ glances: Glances) {
    guard let next = nextMoment(glances) else { return }
    moves.append(.timePasses(until: next))
    let before = next + TimeSpan(nanoseconds: -Self.justBefore.nanoseconds)
    let isAnyFrozen = glances.isAnyFrozen || world.otherGlances?.isAnyFrozen == true
    if before > world.now, left.allowsEvents || isAnyFrozen { moves.append(.timePasses(until: before)) }
  }

  private func addLate(to moves: inout [Move], _ glances: Glances) {
    for wire in world.wires.all where wire.isSlow && wire.isReadableForPeer {
      moves.append(.peerReads(wire: wire.id))
    }
    for index in world.presenceQueue.indices where world.presenceQueue[index].isLate {
      if glances[world.presenceQueue[index].to]?.canListen == true { moves.append(.readPresence(index)) }
    }
    guard let its = world.otherGlances, let queue = world.otherDevice?.part({ $0.pointee.presenceQueue })
    else { return }
    for index in queue.indices where queue[index].isLate {
      if its[queue[index].to]?.canListen == true { moves.append(.onOther(.readPresence(index))) }
    }
  }

  private func addUserMoves(to moves: inout [Move]) {
    addOpening(world.phone.app) { moves.append($0) }
    if world.hasTask {
      moves.append(.endTask)
    } else if left[.tasks] > 0, world.phone.app == .foreground {
      moves.append(.beginTask)
    }
    if left[.pushes] > 0, let invoice = world.unpaidInvoices.first { moves.append(.pay(invoice)) }
  }

  private func addProcessFaults(to moves: inout [Move], _ glances: Glances) {
    let hasWriter = world.container.part { $0.pointee.writer } != nil
    for role in [Role.app, .extension] {
      guard let life = glances[role] else { continue }
      addEnds(Worker(role: role), life, hasWriter, to: &moves) { $0 }
      if left[.storageFaults] > 0, !life.isFrozen { addStorageFaults(role, to: &moves) }
      if left[.replacedLocks] > 0, life.isOwner { moves.append(.replaceLock(role)) }
      if left[.lostBeats] > 0, world.container.part({ $0.pointee.hasReadableBeat(role) }) {
        moves.append(.loseBeat(role))
      }
    }
  }

  /// Only for the process's next order: a later order gets its faults when it is next.
  private func addStorageFaults(_ role: Role, to moves: inout [Move]) {
    guard case .container(let order)? = world.life(role)?.orders.first,
      let operation = StorageOperation(order), world.storage.armed[role] == nil
    else { return }
    for fault in StorageFault.allCases where fault.operation == operation {
      moves.append(.failStorage(role, fault))
    }
  }

  private func addOtherFaults(to moves: inout [Move]) {
    if left[.messageFaults] > 0 {
      for index in world.presenceQueue.indices where !world.presenceQueue[index].isLate {
        moves += [.losePresence(index), .repeatPresence(index), .delayPresence(index)]
      }
    }
    if !world.phone.device.hasNetwork {
      moves.append(.network(isThere: true))
    } else if left[.networks] > 0 {
      moves.append(.network(isThere: false))
    }
    if left[.cuts] > 0 {
      for wire in world.wires.all where !wire.isOverForPeer { moves.append(.cut(wire: wire.id)) }
    }
    if left[.slowConnections] > 0 {
      for wire in world.wires.all where !wire.isOverForPeer && !wire.isSlow {
        moves.append(.slow(wire: wire.id))
      }
    }
    if left[.peerRestarts] > 0 { moves.append(.restartPeer) }
    if left[.lostPushes] > 0, !world.pushing.losesNext { moves.append(.losePush) }
    if left[.reboots] > 0 { moves.append(.reboot) }
    if left[.sleeps] > 0 { moves.append(.deviceSleeps(.seconds(60))) }
    if left[.clockSteps] > 0 { moves += [.stepClock(.seconds(8)), .stepClock(.seconds(-8))] }
    if left[.copies] > 0 { moves.append(world.hasCopy ? .restoreCopy : .copyDatabase) }
  }
}

extension Move {
  fileprivate var isTime: Bool { if case .timePasses = self { true } else { false } }
  fileprivate var isWaking: Bool {
    switch self {
    case .wake, .onOther(.wake): true
    default: false
    }
  }
}

typealias Glances = PerRole<Life.Glance?>

extension Glances {
  /// No process is at work. A process reads user events only then, so an earlier user action would make no
  /// difference.
  var areIdle: Bool { !isAtWork(.app) && !isAtWork(.extension) }

  func isAtWork(_ role: Role) -> Bool { self[role]?.isAtWork ?? false }

  var isAnyFrozen: Bool { app?.isFrozen == true || notifier?.isFrozen == true }
}

extension Place {
  /// A move that comes before all others, without a branch.
  ///
  /// A step visible only to its own process commutes with the others' steps. A message to the peer, or a presence
  /// message to an idle process, is read at once: late messages and slow connections are faults with bounds of their
  /// own.
  private func forced(_ glances: Glances) -> Move? {
    let its = world.otherGlances
    for role in [Role.app, .extension] {
      if glances[role]?.nextIsLocal == true { return .work(role) }
      if its?[role]?.nextIsLocal == true { return .onOther(.work(role)) }
    }
    for wire in world.wires.all where wire.isReadableForPeer && !wire.isSlow {
      return .peerReads(wire: wire.id)
    }
    guard left.isEndless(.preemptions) || glances.areIdle && its?.areIdle ?? true else { return nil }
    for (index, queued) in world.presenceQueue.enumerated() where !queued.isLate {
      if glances[queued.to]?.canListen == true { return .readPresence(index) }
    }
    guard let its, let queue = world.otherDevice?.part({ $0.pointee.presenceQueue }) else { return nil }
    for (index, queued) in queue.enumerated() where !queued.isLate {
      if its[queued.to]?.canListen == true { return .onOther(.readPresence(index)) }
    }
    return nil
  }
}

extension Container {
  /// The role has a beat that an observer would count.
  fileprivate func hasReadableBeat(_ role: Role) -> Bool {
    guard let beat = beats[role] else { return false }
    return beat.epoch == row?.epoch && beat.phase != .released
  }
}

extension Life {
  var nextIsLocal: Bool {
    guard !isStopped else { return false }
    switch orders.first {
    case .phone(let order)?: return order.isLocal
    // The state is read in the same step in which the node starts.
    case .container(.guardrail(.readRow))? where wallet.guardrail.foreign != nil: return true
    case .container(let order)?: return order.isLocal
    // Without a connection the peer sees nothing.
    case .wire(.cutOff)?, .wire(.send)?: return wire == nil
    case .wire?, nil: return false
    }
  }
}

extension PhoneOrder {
  /// Neither the phone nor the other process sees it.
  fileprivate var isLocal: Bool {
    switch self {
    case .guardrail(.show), .guardrail(.mayConnect), .guardrail(.noteFailure), .makeInvoice,
      .answer(_, .invoice), .showScreen, .copy, .answerPress, .tidyJournals:
      true
    default: false
    }
  }
}

extension ContainerOrder {
  /// Writes nothing that another process sees; reads as of the moment of the order.
  fileprivate var isLocal: Bool {
    switch self {
    case .guardrail(.settle), .markReceived: true
    default: false
    }
  }
}

// Time passes to the next deadline with an effect.
//
// A waiting process looks four times a second, or retries ten times a second. A look without a result is made on the
// way: the explorer does not branch there.
extension Place {
  /// Looks without a result may go on forever, so the explorer branches after this many.
  private static let looksMax = 40

  /// Nil if there is no deadline.
  func nextMoment(_ glances: Glances) -> Instant? {
    guard var next = world.nextInstant(glances) else { return nil }
    guard world.isProcessDeadline(glances, at: next) else { return next }
    var later = world
    for _ in 0..<Self.looksMax {
      later.make(.timePasses(until: next))
      guard later.look(), let following = later.nextInstant else { break }
      next = following
    }
    return next
  }

  /// Everything due before `instant` is known to have no effect.
  mutating func pass(until instant: Instant, _ onMove: (inout World) -> Void) {
    while let next = world.nextInstant, next < instant {
      world.make(.timePasses(until: next))
      guard world.look() else { break }
    }
    make(.timePasses(until: instant))
    onMove(&world)
  }
}

extension World {
  /// The deadline belongs to a process, which may only look.
  fileprivate func isProcessDeadline(_ glances: Glances, at instant: Instant) -> Bool {
    if glances.app?.deadline == instant || glances.notifier?.deadline == instant { return true }
    guard let other = otherDevice, let its = otherGlances else { return false }
    let there = other.part { $0.pointee.clock.now } + (instant - now)
    return its.app?.deadline == there || its.notifier?.deadline == there
  }

  private static let stepsOfLook = 20

  /// Makes all moves that are due now; false if one has an effect.
  mutating func look() -> Bool {
    hasEffect.value = false
    var moves: [Move] = []
    for _ in 0..<Self.stepsOfLook {
      moves.removeAll(keepingCapacity: true)
      ready(into: &moves)
      switch moves.first {
      case nil: return true
      case .wake?, .work?, .onOther(.wake)?, .onOther(.work)?: make(moves[0])
      default: return false
      }
      if hasEffect.value || violation != nil { return false }
    }
    return false
  }
}

/// The events and faults that an exploration bounds.
public enum Allowance: Int, Hashable, Sendable, CaseIterable {
  case pushes
  case opens
  case crashes
  case freezes
  case preemptions
  case messageFaults
  case cuts
  case slowConnections
  case peerRestarts
  case replacedLocks
  case lostBeats
  case lostPushes
  case reboots
  case sleeps
  case copies
  case clockSteps
  case tasks
  case networks
  case storageFaults
  case moves

  /// As an option names it, such as `message-faults`.
  public var word: String { "\(self)".hyphenated }

  public var sentence: String {
    switch self {
    case .pushes: "payments to the wallet, each with its push if the wallet is not connected"
    case .opens: "times the user opens the app, and leaves it at any moment"
    case .crashes: "times a process is killed"
    case .freezes: "times a process is stopped, also inside a transaction, until any moment"
    case .preemptions: "times the other process makes a step while a process still has work"
    case .messageFaults: "presence messages that are lost, repeated or late"
    case .cuts: "connections that break"
    case .slowConnections: "connections whose messages to the peer arrive at any later moment"
    case .peerRestarts: "restarts of the peer"
    case .replacedLocks: "lock files that are replaced"
    case .lostBeats: "times a role's beats are erased"
    case .lostPushes: "pushes that are lost"
    case .reboots: "reboots of the phone"
    case .sleeps: "times the device sleeps for a minute"
    case .copies: "old copies of the database put back"
    case .clockSteps: "times the wall clock is set back or forward by 8 s"
    case .networks: "times the phone is without a network, until any moment"
    case .storageFaults: "operations on the container that are blocked, fail, or find the container gone"
    case .moves: "times the user takes another device with the same seed, and moves the wallet there"
    case .tasks: "tasks of the app that go on in the background"
    }
  }
}

/// How many of each may still happen: this makes a world finite.
public struct Bounds: Hashable, Sendable {
  private var counts = SIMD32<UInt8>()
  /// Unbounded: never counted down.
  private static let endless = Int(UInt8.max)

  public init(_ counts: [Allowance: Int] = [:]) {
    for allowance in Allowance.allCases { self[allowance] = counts[allowance] ?? 0 }
  }

  /// Explored in seconds: one payment, one opening, one crash at any step, and one preemption.
  public static let standard = Bounds([.pushes: 1, .opens: 1, .crashes: 1, .preemptions: 1])

  public subscript(allowance: Allowance) -> Int {
    get { Int(counts[allowance.rawValue]) }
    set { counts[allowance.rawValue] = UInt8(clamping: newValue) }
  }

  func isEndless(_ allowance: Allowance) -> Bool { self[allowance] == Self.endless }

  /// A user action, payment or fault is still possible.
  var allowsEvents: Bool {
    var others = counts
    others[Allowance.preemptions.rawValue] = 0
    return others != SIMD32()
  }

  mutating func spend(_ allowance: Allowance) {
    if !isEndless(allowance) { counts[allowance.rawValue] &-= 1 }
  }
}

extension Move {
  /// The allowance that the move uses up; nil if it is unbounded.
  var price: Allowance? {
    switch self {
    case .work, .wake, .hear, .readPresence, .peerReads, .walletReads, .peerWakes, .senderWakes, .phoneWakes,
      .timePasses, .network(isThere: true), .fillDisk(false), .home, .quit, .invoice, .send, .cancel,
      .withdraw, .press, .followLink, .endTask, .thaw, .askToMove, .startPeer, .copyDatabase, .noMoreFaults:
      nil
    case .open: .opens
    case .takeOtherDevice: .moves
    case .onOther(let move): move.price
    case .pay, .payPart: .pushes
    case .kill: .crashes
    case .freeze, .freezeInside: .freezes
    case .losePresence, .repeatPresence, .delayPresence: .messageFaults
    case .cut: .cuts
    case .slow: .slowConnections
    case .restartPeer, .stopPeer: .peerRestarts
    case .replaceLock: .replacedLocks
    case .loseBeat: .lostBeats
    case .failStorage, .fillDisk(true): .storageFaults
    case .losePush: .lostPushes
    case .reboot: .reboots
    case .deviceSleeps: .sleeps
    case .restoreCopy: .copies
    case .stepClock: .clockSteps
    case .beginTask: .tasks
    case .network(isThere: false): .networks
    }
  }
}
