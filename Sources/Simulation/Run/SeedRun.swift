import CoreShape
import Guardrails
import Heartbeat

/// One run of a seed: chance says who moves next, what the person does, who pays and what goes wrong. Then nothing goes
/// wrong any more, and the pair must come to rest.
public struct SeedRun {
  public private(set) var world: World
  public private(set) var result: RunResult
  private let settings: RunSettings
  private var generator: SeededGenerator
  private var enabled: [FaultKind] = []
  private var nextPerson: Instant
  private var nextPayment: Instant
  private var nextFault: Instant
  private var thawAt = PerRole<Instant?>(nil, nil)
  private var lettersHeldUntil = Instant(nanoseconds: 0)
  /// A fault that is to strike after so many more moves: in the midst of something, wherever that is.
  private var armed: (fault: FaultKind, after: Int, number: Int, by: Instant)?
  private var numbered = 0
  private var moves: [Move] = []

  public init(_ settings: RunSettings, isHeard: Bool = false) {
    self.settings = settings
    world = World(settings: settings.world)
    world.isHeard = isHeard
    result = RunResult(seed: settings.seed)
    generator = SeededGenerator(seed: settings.seed)
    for fault in FaultKind.allCases where generator.chance(60) { enabled.append(fault) }
    nextPerson = Instant(nanoseconds: 0)
    nextPayment = .zero + .seconds(20)
    nextFault = .zero + .seconds(15)
  }

  /// Runs to the end, or to the first violation. `onMove` sees the world after each move.
  public mutating func run(onMove: (inout World) -> Void = { _ in }) -> RunResult {
    let troubleEnds = Instant.zero + settings.length
    while world.violation == nil, world.peerNow < troubleEnds {
      if !act() { step(until: min(nextAction, troubleEnds)) }
      onMove(&world)
    }
    if world.violation == nil { heal(onMove) }
    if world.violation == nil { world.checkAtTheEnd() }
    onMove(&world)
    finish()
    return result
  }

  private mutating func finish() {
    result.violation = world.violation
    result.simulated = world.peerNow - .zero
    result.deliveredEvents = world.deliveredEvents
    result.payments = world.payments.count
    result.paid = world.payments.count { $0.state == .paid }
    result.pushes = world.pushes.count
  }

  // MARK: One step

  /// One thing that is due, or time passes up to the next.
  private mutating func step(until limit: Instant) {
    moves.removeAll(keepingCapacity: true)
    world.ready(into: &moves)
    if world.peerNow < lettersHeldUntil {
      moves.removeAll { if case .readLetter = $0 { true } else { false } }
    }
    guard !moves.isEmpty else { return passTime(until: limit) }
    if generator.chance(4) {
      make(.timePasses(until: world.now + .milliseconds(Int64(generator.below(20)))))
    } else {
      make(moves[generator.below(moves.count)])
      strikeIfDue()
    }
  }

  private mutating func passTime(until limit: Instant) {
    var span = limit - world.peerNow
    if let next = world.nextInstant { span = min(span, next - world.now) }
    for role in [Role.app, .extension] {
      if let instant = thawAt[role] { span = min(span, instant - world.peerNow) }
    }
    if let armed { span = min(span, armed.by - world.peerNow) }
    if world.peerNow < lettersHeldUntil { span = min(span, lettersHeldUntil - world.peerNow) }
    make(.timePasses(until: world.now + max(span, Span(nanoseconds: 1))))
  }

  private mutating func make(_ move: Move) {
    result.moves &+= 1
    world.make(move)
  }

  // MARK: Actions

  private var nextAction: Instant { min(nextPerson, min(nextPayment, nextFault)) }

  /// Something that the person, a sender or fate does now; false if nobody does anything.
  private mutating func act() -> Bool {
    let now = world.peerNow
    for role in [Role.app, .extension] {
      if let instant = thawAt[role], instant <= now {
        thawAt[role] = nil
        make(.thaw(role))
        return true
      }
    }
    if let due = armed, due.by <= now {
      armed = nil
      strike(due.fault, due.number)
      return true
    }
    if nextPerson <= now {
      nextPerson = now + wait(from: 300, to: 40_000)
      person()
      return true
    }
    if nextPayment <= now {
      nextPayment = now + wait(from: 100, to: 30_000)
      send()
      return true
    }
    if nextFault <= now {
      nextFault = now + wait(from: 200, to: 25_000)
      arm()
      return true
    }
    return false
  }

  private mutating func wait(from: Int, to: Int) -> Span {
    .milliseconds(Int64(from + generator.below(to - from)))
  }

  /// Whether this action takes place: all do, unless a failure is being made short.
  private mutating func isWanted() -> Int? {
    numbered += 1
    if let only = settings.only, !only.contains(numbered) { return nil }
    result.actions.append(numbered)
    return numbered
  }

  private mutating func person() {
    let choice = generator.below(10)
    guard isWanted() != nil else { return }
    switch choice {
    case 0..<5: make(.open)
    case 5..<9: make(.home)
    default: make(.quit)
    }
  }

  private mutating func send() {
    let unpaid = world.invoices.indices.filter { index in
      world.invoices[index].isStored && !world.payments.contains { $0.invoice == index }
    }
    let choice = generator.below(max(1, unpaid.count))
    let makesInvoice = unpaid.count < 3
    guard isWanted() != nil else { return }
    if makesInvoice { for _ in 0..<3 { make(.invoice) } }
    if !unpaid.isEmpty { make(.pay(unpaid[choice])) }
  }

  // MARK: Faults

  private mutating func arm() {
    guard !enabled.isEmpty else { return }
    let fault = enabled[generator.below(enabled.count)]
    let after = generator.below(40)
    guard armed == nil, let number = isWanted() else { return }
    armed = (fault, after, number, world.peerNow + .seconds(3))
  }

  private mutating func strikeIfDue() {
    guard let due = armed else { return }
    if due.after > 0 {
      armed?.after -= 1
    } else {
      armed = nil
      strike(due.fault, due.number)
    }
  }

  private mutating func strike(_ fault: FaultKind, _ number: Int) {
    if let place = FaultKind.allCases.firstIndex(of: fault) { result.faults[place] += 1 }
    switch fault {
    case .killApp: make(.kill(.app))
    case .killExtension: make(.kill(.extension))
    case .freezeApp: freeze(.app, inside: false)
    case .freezeExtension: freeze(.extension, inside: false)
    case .freezeInside: freeze(generator.chance(50) ? .app : .extension, inside: true)
    case .loseLetter: make(.loseLetter(0))
    case .repeatLetter: make(.repeatLetter(0))
    case .delayLetters: lettersHeldUntil = world.peerNow + wait(from: 10, to: 3000)
    case .cut: if let wire = world.someWire { make(.cut(wire: wire)) }
    case .restartPeer: make(.restartPeer)
    case .replaceLock: make(.replaceLock(generator.chance(50) ? .app : .extension))
    case .loseBeat: make(.loseBeat(generator.chance(50) ? .app : .extension))
    case .reboot: make(.reboot)
    case .sleep: make(.sleep(wait(from: 100, to: 60_000)))
    case .losePush: make(.losePush)
    }
  }

  private static let freezes: [Int64] = [10, 100, 1000, 4900, 5000, 5100, 7000, 10_000, 40_000]

  private mutating func freeze(_ role: Role, inside: Bool) {
    let span = Span.milliseconds(Self.freezes[generator.below(Self.freezes.count)])
    make(inside ? .freezeInside(role) : .freeze(role))
    if world.life(role)?.isFrozen == true { thawAt[role] = world.peerNow + span }
  }

  // MARK: The end

  /// Nothing goes wrong any more and the person looks at the app: it must connect, and all must be settled.
  private mutating func heal(_ onMove: (inout World) -> Void) {
    armed = nil
    lettersHeldUntil = world.peerNow
    for role in [Role.app, .extension] where world.life(role)?.isFrozen == true { make(.thaw(role)) }
    thawAt = PerRole(nil, nil)
    make(.noMoreFaults)
    let bound = world.peerNow + settings.healsWithin
    var look = world.peerNow
    while world.violation == nil, !world.isSettled {
      guard world.peerNow < bound else { return world.reportNoProgress(within: settings.healsWithin) }
      if look <= world.peerNow {
        look = world.peerNow + .seconds(5)
        make(.open)
      } else {
        step(until: min(look, bound))
      }
      onMove(&world)
    }
  }
}
