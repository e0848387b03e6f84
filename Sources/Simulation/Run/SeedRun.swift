import Ground
import Guardrails
import PhonePolicy

/// One run of a seed: the agenda gives user actions, payments and faults; random choices give the order of moves.
/// After the fault period the app must connect and everything must settle.
public struct SeedRun {
  public private(set) var world: World
  private var result: RunResult
  private let settings: RunSettings
  private let agenda: [Agenda.Entry]
  private var nextEntry = 0
  private var generator: SeededGenerator
  private var thawAt = PerRole<Instant?>(nil, nil)
  /// Of the device that is not in hand.
  private var otherThawAt = PerRole<Instant?>(nil, nil)
  private var presenceHeldUntil = Instant.zero
  /// The peer reads nothing until then.
  private var peerSlowUntil = Instant.zero
  private var networkBackAt: Instant?
  private var diskHasRoomAt: Instant?
  private var armed: Armed?
  /// Parts of payments not sent yet, the next one first.
  private var laterParts: [(at: Instant, move: Move)] = []
  private var moves: [Move] = []

  /// A fault to be injected after some moves.
  private struct Armed {
    var fault: FaultKind
    var afterMoves: Int
    var by: Instant
    var chance: SeededGenerator
  }

  /// After this time a fault is injected also without enough moves.
  private static let armedAtMost = TimeSpan.seconds(3)
  private static let freezes: [Int64] = [10, 100, 1000, 4900, 5000, 5100, 7000, 10_000, 40_000]

  public init(_ settings: RunSettings, isRecorded: Bool = false) {
    self.settings = settings
    let whole = Agenda(settings)
    agenda = (settings.only.map(whole.only) ?? whole).entries
    world = World(settings: whole.world)
    world.isRecorded = isRecorded
    result = RunResult(seed: settings.seed)
    // Not a multiple of the generator's own step: that would give the same numbers, shifted.
    generator = SeededGenerator(seed: settings.seed ^ settings.order &* 0xD1B5_4A32_D192_ED03)
  }

  /// Runs to the end, or to the first violation. `onMove` sees the world after each move.
  public mutating func run(onMove: (inout World) -> Void = { _ in }) -> RunResult {
    let faultsEnd = Instant.zero + settings.length
    while world.violation == nil, world.peerNow < faultsEnd {
      if !act() { step(until: min(nextAction ?? faultsEnd, faultsEnd)) }
      onMove(&world)
    }
    if world.violation == nil { heal(onMove) }
    if world.violation == nil { world.checkAtTheEnd() }
    onMove(&world)
    result.violation = world.violation
    result.simulated = world.peerNow - .zero
    result.events = world.deliveredEvents
    result.payments = world.payments.count
    result.paid = world.payments.count { $0.state == .paid }
    result.sent = world.sends.count
    result.arrived = world.sends.count { $0.hasArrived }
    result.addDevice(of: world)
    if let other = world.seenFromOther { result.addDevice(of: other) }
    result.settling = world.settling
    result.suspensions = world.suspensions.value
    return result
  }

  // MARK: Moves

  /// Makes one ready move, or lets time pass up to the next.
  private mutating func step(until limit: Instant) {
    moves.removeAll(keepingCapacity: true)
    world.ready(into: &moves)
    if world.peerNow < presenceHeldUntil {
      moves.removeAll { move in
        switch move {
        case .readPresence, .onOther(.readPresence): true
        default: false
        }
      }
    }
    if world.peerNow < peerSlowUntil { moves.removeAll { if case .peerReads = $0 { true } else { false } } }
    guard !moves.isEmpty else { return passTime(until: limit) }
    if generator.chance(4) {
      make(.timePasses(until: world.now + .milliseconds(Int64(generator.below(20)))))
    } else {
      make(moves[generator.below(moves.count)])
      countDown()
    }
  }

  private mutating func passTime(until limit: Instant) {
    var span = limit - world.peerNow
    if let next = world.nextInstant { span = min(span, next - world.now) }
    for instant in [
      thawAt.app, thawAt.notifier, otherThawAt.app, otherThawAt.notifier, networkBackAt, diskHasRoomAt,
      armed?.by, laterParts.first?.at,
    ] { if let instant { span = min(span, instant - world.peerNow) } }
    for instant in [presenceHeldUntil, peerSlowUntil] where world.peerNow < instant {
      span = min(span, instant - world.peerNow)
    }
    make(.timePasses(until: world.now + max(span, TimeSpan(nanoseconds: 1))))
  }

  private mutating func make(_ move: Move) {
    result.moves &+= 1
    world.make(move)
  }

  // MARK: The agenda

  private var nextAction: Instant? { nextEntry < agenda.count ? agenda[nextEntry].at : nil }

  /// A process thaws, or what the phone lacked is there again.
  private mutating func takeDueEnd(at now: Instant) -> Move? {
    func isDue(_ instant: inout Instant?) -> Bool {
      guard let end = instant, end <= now else { return false }
      instant = nil
      return true
    }
    for role in [Role.app, .extension] where isDue(&thawAt[role]) { return .thaw(role) }
    for role in [Role.app, .extension] where isDue(&otherThawAt[role]) { return .onOther(.thaw(role)) }
    if isDue(&networkBackAt) { return .network(isThere: true) }
    return isDue(&diskHasRoomAt) ? .fillDisk(false) : nil
  }

  /// Carries out a due entry of the agenda; false if there is none.
  private mutating func act() -> Bool {
    let now = world.peerNow
    if let move = takeDueEnd(at: now) {
      make(move)
      return true
    }
    if let due = armed, due.by <= now {
      inject(due)
      return true
    }
    if let next = laterParts.first, next.at <= now {
      make(laterParts.removeFirst().move)
      return true
    }
    guard let next = nextAction, next <= now else { return false }
    let entry = agenda[nextEntry]
    nextEntry += 1
    if let moves = world.exclusion?.value.moves(for: entry.action) {
      for move in moves { make(move) }
      return true
    }
    var chance = SeededGenerator(seed: entry.salt)
    switch entry.action {
    case .make(let move): make(move)
    case .pay: pay(&chance)
    case .send: send(&chance)
    case .cancel: cancel(&chance)
    case .press: make(.press(chance.chance(70) ? .retry : .copy))
    case .withdraw: make(.withdraw(UInt64(1000 + chance.below(5000))))
    case .sendIsDone: break
    case .takeOtherDevice: takeOtherDevice()
    case .askToMove: askToMove()
    case .onOther(let move): onOther(move, &chance)
    case .storage(let fault): make(.failStorage(chance.chance(50) ? .app : .extension, fault))
    case .fullDisk(let span):
      make(.fillDisk(true))
      diskHasRoomAt = world.peerNow + span
    case .slowPeer(let span): peerSlowUntil = world.peerNow + span
    case .fault(let fault, let after):
      if let due = armed { inject(due) }
      armed = Armed(fault: fault, afterMoves: after, by: now + Self.armedAtMost, chance: chance)
    }
    return true
  }

  private mutating func pay(_ chance: inout SeededGenerator) {
    // "Retry Now", also while an attempt is under way.
    if let sender = world.retryingSenders.last, chance.chance(20) { make(.pay(sender.invoice)) }
    let unpaid = world.unpaidInvoices
    if unpaid.count < 3 { for _ in 0..<3 { make(.invoice) } }
    guard !unpaid.isEmpty else { return }
    let invoice = unpaid[chance.below(unpaid.count)]
    guard chance.chance(30) else { return make(.pay(invoice)) }
    let count = 2 + chance.below(2)
    make(.payPart(invoice, part: 1, of: count))
    var at = world.peerNow
    for part in 2...count {
      at = at + .milliseconds(Int64(chance.below(9000)))
      let place = laterParts.firstIndex { $0.at > at } ?? laterParts.endIndex
      laterParts.insert((at, .payPart(invoice, part: part, of: count)), at: place)
    }
  }

  /// Sometimes an invoice that is paid or pending already, or one whose hash its recipient does not know.
  private mutating func send(_ chance: inout SeededGenerator) {
    let isAgain = !world.sends.isEmpty && chance.chance(20)
    let number = isAgain ? chance.below(world.sends.count) : world.sends.count
    make(.send(number, isKnown: chance.chance(85)))
  }

  /// An unpaid invoice, or one with a pending payment.
  private mutating func cancel(_ chance: inout SeededGenerator) {
    let paid = world.payments.last { $0.state == .underWay }?.invoice
    if let paid, chance.chance(50) { return make(.cancel(paid)) }
    let open = world.unpaidInvoices
    if !open.isEmpty { make(.cancel(open[chance.below(open.count)])) }
  }

  // MARK: Two devices

  /// The network and the room on the disk come back first: they are the phone's.
  private mutating func takeOtherDevice() {
    guard world.settings.allowsMoves else { return }
    if networkBackAt != nil { make(.network(isThere: true)) }
    if diskHasRoomAt != nil { make(.fillDisk(false)) }
    networkBackAt = nil
    diskHasRoomAt = nil
    if let place = FaultKind.allCases.firstIndex(of: .otherDevice) { result.faults[place] += 1 }
    make(.takeOtherDevice)
    swap(&thawAt, &otherThawAt)
  }

  private mutating func askToMove() { if world.isServedElsewhere { make(.askToMove) } }

  private mutating func onOther(_ move: Move, _ chance: inout SeededGenerator) {
    if case .freeze(let role) = move {
      guard world.isOtherDeviceThere else { return }
      otherThawAt[role] = world.peerNow + .milliseconds(Self.freezes[chance.below(Self.freezes.count)])
    }
    make(.onOther(move))
  }

  // MARK: Faults

  private mutating func countDown() {
    guard let due = armed else { return }
    if due.afterMoves > 0 { armed?.afterMoves -= 1 } else { inject(due) }
  }

  private mutating func inject(_ due: Armed) {
    armed = nil
    var chance = due.chance
    let role = chance.chance(50) ? Role.app : .extension
    func span(_ from: Int, _ to: Int) -> TimeSpan { .milliseconds(Int64(from + chance.below(to - from))) }
    if let place = FaultKind.allCases.firstIndex(of: due.fault) { result.faults[place] += 1 }
    switch due.fault {
    case .killApp: make(.kill(.app))
    case .killExtension: make(.kill(.extension))
    case .freezeApp: freeze(.app, .freeze(.app), chance.below(Self.freezes.count))
    case .freezeExtension: freeze(.extension, .freeze(.extension), chance.below(Self.freezes.count))
    case .freezeInside: freeze(role, .freezeInside(role), chance.below(Self.freezes.count))
    case .losePresence: make(.losePresence(0))
    case .repeatPresence: make(.repeatPresence(0))
    case .delayPresence: presenceHeldUntil = world.peerNow + span(10, 3000)
    case .cut: if let wire = world.openWire { make(.cut(wire: wire)) }
    case .restartPeer: make(.restartPeer)
    case .replaceLock: make(.replaceLock(role))
    case .loseBeat: make(.loseBeat(role))
    case .reboot:
      make(.reboot)
      // Beats are never synced: a power loss may lose them, and a torn beat does not count.
      for role in [Role.app, .extension] where chance.chance(50) { make(.loseBeat(role)) }
    case .stepClock: make(.stepClock(.milliseconds(Int64(chance.below(7_200_000)) - 3_600_000)))
    case .deviceSleeps: make(.deviceSleeps(span(100, 60_000)))
    case .losePush: make(.losePush)
    case .noNetwork:
      make(.network(isThere: false))
      networkBackAt = world.peerNow + span(10, 60_000)
    case .otherDevice: break
    case .restoreCopy: make(world.hasCopy && chance.chance(50) ? .restoreCopy : .copyDatabase)
    }
  }

  private mutating func freeze(_ role: Role, _ move: Move, _ choice: Int) {
    make(move)
    if world.life(role)?.isFrozen == true {
      thawAt[role] = world.peerNow + .milliseconds(Self.freezes[choice])
    }
  }

  // MARK: The end

  /// Ends the faults and opens the app: it must connect, and everything must settle.
  private mutating func heal(_ onMove: (inout World) -> Void) {
    armed = nil
    presenceHeldUntil = world.peerNow
    peerSlowUntil = world.peerNow
    for role in [Role.app, .extension] where world.life(role)?.isFrozen == true { make(.thaw(role)) }
    for role in [Role.app, .extension] { make(.onOther(.thaw(role))) }
    thawAt = PerRole(nil, nil)
    otherThawAt = PerRole(nil, nil)
    networkBackAt = nil
    diskHasRoomAt = nil
    if !world.phone.device.hasNetwork { make(.network(isThere: true)) }
    make(.onOther(.network(isThere: true)))
    for part in laterParts { make(part.move) }
    laterParts = []
    make(.noMoreFaults(userStaysAway: false))
    let start = world.peerNow
    // The extension may release the node in between: two starts.
    let starts = world.settings.startDelay + world.settings.startDelay
    let bound = start + settings.healsWithin + starts
    // A lost part is waited for until the end of its window, which may begin as late as the bound.
    let boundOfParts = bound + settings.world.multiPartWindow
    var look = world.peerNow
    while world.violation == nil, !world.isSettled {
      guard world.peerNow < (world.lacksOnlyParts ? boundOfParts : bound) else {
        return world.reportNoProgress(within: world.peerNow - start)
      }
      if look <= world.peerNow {
        look = world.peerNow + .seconds(5)
        make(.open)
        askToMove()
      } else {
        step(until: min(look, world.peerNow < bound ? bound : boundOfParts))
      }
      onMove(&world)
    }
  }
}

/// The kinds of fault in runs; each seed turns some of them off.
public enum FaultKind: String, Hashable, Sendable, CaseIterable {
  case killApp = "the app is killed"
  case killExtension = "the extension is killed"
  case freezeApp = "the app is frozen"
  case freezeExtension = "the extension is frozen"
  case freezeInside = "a process is frozen inside a transaction"
  case losePresence = "a presence message is lost"
  case repeatPresence = "a presence message comes twice"
  case delayPresence = "presence messages are late"
  case cut = "a connection breaks"
  case restartPeer = "the peer restarts"
  case replaceLock = "a lock file is replaced"
  case loseBeat = "a beat is lost"
  case reboot = "the phone reboots"
  case deviceSleeps = "the device sleeps"
  case losePush = "a push is lost"
  case stepClock = "the wall clock is set"
  case noNetwork = "the phone has no network"
  case restoreCopy = "an old copy of the database is put back"
  /// Drawn apart from the others, so that they are the same in all runs of a seed.
  case otherDevice = "the user moves the wallet to another device"

  static let drawn = allCases.filter { $0 != .otherDevice }
}

/// The result of a run.
public struct RunResult: Hashable, Sendable {
  public var seed: UInt64
  public var violation: Violation?
  public var simulated = TimeSpan.zero
  /// Events that made a core order something.
  public var events: UInt64 = 0
  public var moves: UInt64 = 0
  public var payments = 0
  public var paid = 0
  public var pushes = 0
  /// External invoices that the user tried to pay, and those that are paid.
  public var sent = 0
  public var arrived = 0
  public var connecting = Waits()
  public var settling = Waits()
  public var suspensions = Suspensions()
  /// How often each storage fault occurred, in the order of `StorageFault.allCases`; the full disk last.
  public var storageFaults = [Int](repeating: 0, count: StorageFault.allCases.count + 1)
  /// How often each kind of fault occurred.
  public var faults = [Int](repeating: 0, count: FaultKind.allCases.count)

  public init(seed: UInt64) { self.seed = seed }

  /// Adds the figures of the device in hand.
  mutating func addDevice(of world: World) {
    pushes += world.pushes.count
    connecting.add(world.connecting)
    storageFaults = zip(storageFaults, world.storage.occurred.value).map(+)
  }

  /// Adds the figures of another run.
  public mutating func add(_ other: RunResult) {
    simulated = simulated + other.simulated
    events += other.events
    moves += other.moves
    payments += other.payments
    paid += other.paid
    pushes += other.pushes
    sent += other.sent
    arrived += other.arrived
    connecting.add(other.connecting)
    settling.add(other.settling)
    suspensions.add(other.suspensions)
    storageFaults = zip(storageFaults, other.storageFaults).map(+)
    faults = zip(faults, other.faults).map(+)
  }
}

/// One run: a seed and its durations.
public struct RunSettings: Hashable, Sendable {
  public var seed: UInt64
  public var world = WorldSettings()
  /// Length of the fault period, on the peer's clock.
  public var length = TimeSpan.seconds(600)
  /// How long the app may take afterwards to connect and settle everything.
  public var healsWithin = TimeSpan.seconds(60)
  /// What the phone does with an extension that has delivered its content; nil if the seed decides.
  public var afterContent: AfterContent?
  /// The numbers of the agenda's entries to use; nil for all.
  public var only: [Int]?
  /// Chooses, with the seed, the order of moves for the same agenda.
  public var order: UInt64 = 0

  public init(seed: UInt64) { self.seed = seed }
}

/// Shortens a failure: drops agenda entries piece by piece while the same invariant is still violated in some order
/// of moves.
public struct Shrinker {
  private let ordersTried: UInt64 = 24
  public private(set) var settings: RunSettings
  private let invariant: Invariant
  /// Number of runs made.
  public private(set) var runs = 0

  public init(_ settings: RunSettings, breaking invariant: Invariant) {
    self.settings = settings
    self.invariant = invariant
  }

  /// The settings of the shortest failure that was found.
  public mutating func shrink() -> RunSettings {
    var kept =
      settings.only ?? Agenda(settings).entries.map(\.number)
    var size = max(1, kept.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < kept.count {
        let without = Array(kept[..<start] + kept[min(start + size, kept.count)...])
        if stillBreaks(without) {
          kept = without
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasShrunk { break }
      size = max(1, size / 2)
    }
    return settings
  }

  private mutating func stillBreaks(_ only: [Int]) -> Bool {
    var candidate = settings
    candidate.only = only
    for order in 0..<ordersTried {
      candidate.order = order
      runs += 1
      var run = SeedRun(candidate)
      if run.run().violation?.invariant == invariant {
        settings = candidate
        return true
      }
    }
    return false
  }
}
