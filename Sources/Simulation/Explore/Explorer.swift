import Ground
import Guardrails
import PhonePolicy
import Wallet

/// Visits every interleaving of a bounded world, breadth first, so that the path to each finding is shortest.
///
/// A layer is the states one move further than all seen before. Threads can share the work on a layer (`expand` is
/// pure); `take` adds the results in one order, so that the outcome does not depend on the number of threads.
public struct Explorer: Sendable {
  public let settings: ExploreSettings
  public private(set) var states = 0
  public private(set) var transitions = 0
  public private(set) var depth = 0
  /// The states of the current layer, not expanded yet.
  private(set) var frontier: [Place] = []
  /// States with a violation or without progress: the first of each kind, in order of discovery, so that the path to
  /// each is shortest.
  public private(set) var findings: [Finding] = []
  public private(set) var ways = Ways()
  /// Quiet states from which the wallet recovers when faults stop.
  public private(set) var healed = 0
  /// Quiet states in which the peer has lost the newest backup of a wallet that needs it: nothing recovers them.
  public private(set) var lost = 0

  /// Digests of states.
  private var seen: Set<UInt64> = []
  private var healing: Set<UInt64> = []
  private var firstOfFrontier = 0
  private var nextFrontier: [Place] = []
  /// For each state the one it was first reached from, and the index of the move there.
  private var parents: [UInt32] = []
  private var choices: [UInt16] = []

  public init(_ settings: ExploreSettings) {
    self.settings = settings
    let start = Place(world: settings.startWorld(), left: settings.bounds)
    seen.insert(start.digest)
    parents = [0]
    choices = [0]
    states = 1
    frontier = [start]
  }

  public struct Finding: Hashable, Sendable {
    public var state: Int
    public var violation: Violation
  }

  public var isDone: Bool { frontier.isEmpty || hasFound }

  private var hasFound: Bool {
    guard let seeks = settings.seeks else { return !findings.isEmpty && !settings.findsAll }
    return findings.contains { $0.violation.invariant == seeks }
  }

  /// Number of states in this layer.
  public var waiting: Int { frontier.count }

  /// One successor of a state.
  public struct Successor: Sendable {
    var place: Place
    var digest: UInt64
    var choice: UInt16
  }

  public struct Expansion: Sendable {
    var parent: Int
    var successors: [Successor] = []
    var transitions = 0
    var ways = Ways()
    /// Digests of the recovery run from a quiet state; nil if the state is not quiet, empty with `stuck` if it
    /// failed.
    var healed: [UInt64]?
    /// The violation of a failed recovery run.
    var stuck: Violation?
    /// The recovery run failed, but its end is a state that the peer has lost.
    var isLost = false
  }

  /// The unseen successors of some states of the layer. Pure, so that threads can run it concurrently.
  public func expand(_ range: Range<Int>) -> [Expansion] {
    var moves: [Move] = []
    var expansions: [Expansion] = []
    expansions.reserveCapacity(range.count)
    var known: Set<UInt64> = []
    for index in range {
      let place = frontier[index]
      var expansion = Expansion(parent: firstOfFrontier + index)
      guard place.world.violation == nil else {
        // No successors after a violation.
        expansions.append(expansion)
        continue
      }
      let isQuiet = place.moves(into: &moves)
      expansion.transitions = moves.count
      if isQuiet {
        var healing = Healing(place.world, userStaysAway: settings.userStaysAway)
        expansion.healed = healing.run { known.contains($0) || self.healing.contains($0) } ?? []
        expansion.stuck = healing.world.violation
        expansion.isLost = healing.hasFailed && expansion.stuck == nil
        known.formUnion(expansion.healed ?? [])
      }
      for (choice, move) in moves.enumerated() {
        let next = place.after(move)
        expansion.ways.add(next.world.ways)
        let digest = next.digest
        guard !seen.contains(digest) else { continue }
        expansion.successors.append(Successor(place: next, digest: digest, choice: UInt16(choice)))
      }
      expansions.append(expansion)
    }
    return expansions
  }

  /// Call it with the expansions of a layer in their order.
  public mutating func take(_ expansions: [Expansion]) {
    for expansion in expansions {
      transitions += expansion.transitions
      ways.add(expansion.ways)
      if let digests = expansion.healed {
        healing.formUnion(digests)
        if expansion.isLost { lost += 1 } else if expansion.stuck == nil { healed += 1 }
      }
      if let stuck = expansion.stuck { found(stuck, in: expansion.parent) }
      for successor in expansion.successors where seen.insert(successor.digest).inserted {
        parents.append(UInt32(expansion.parent))
        choices.append(successor.choice)
        if let violation = successor.place.world.violation { found(violation, in: states) }
        states += 1
        nextFrontier.append(successor.place)
      }
    }
  }

  private mutating func found(_ violation: Violation, in state: Int) {
    guard !findings.contains(where: { $0.violation.kind == violation.kind }) else { return }
    findings.append(Finding(state: state, violation: violation))
  }

  public mutating func finishLayer() {
    firstOfFrontier += frontier.count
    frontier = nextFrontier
    nextFrontier = []
    depth += 1
  }
}

extension Explorer {
  /// Replays the shortest path to a state, then its failed recovery run, if any. `listen` gets the world after each
  /// move, and the time that passed before its clock was last reset.
  public func tell(_ state: Int, listen: (inout World, TimeSpan) -> Void) {
    var choicesBack: [UInt16] = []
    var at = state
    while at != 0 {
      choicesBack.append(choices[at])
      at = Int(parents[at])
    }
    var place = Place(world: settings.startWorld(isRecorded: true), left: settings.bounds)
    var passed = TimeSpan.zero
    var moves: [Move] = []
    for choice in choicesBack.reversed() {
      place.moves(into: &moves)
      place = place.after(moves[Int(choice)]) { world in listen(&world, passed) }
      passed = passed + place.passed.value
    }
    guard place.world.violation == nil else { return }
    var healing = Healing(place.world, userStaysAway: settings.userStaysAway)
    _ = healing.run(isKnown: { _ in false }) { listen(&$0, passed + $1) }
  }
}

extension Place { var digest: UInt64 { Digest.of(self) } }

/// The explored world and its bounds.
public struct ExploreSettings: Hashable, Sendable {
  public var world = WorldSettings()
  public var bounds = Bounds.standard
  /// Continues after a violation, until one of each kind is found.
  public var findsAll = false

  /// At the start the app is suspended in the background, with what it has in memory; otherwise no process runs.
  public var appIsSuspended = false
  /// Continues after other violations, until this invariant breaks.
  public var seeks: Invariant?
  /// In the recovery runs the user does not open the app; then the payments are received all the same.
  public var userStaysAway = false

  public init() {}

  /// The world of the start: the wallet has its channel and open invoices.
  public func startWorld(isRecorded: Bool = false) -> World {
    var settings = world
    settings.reusesNumbers = true
    // The time since the other end's last message would distinguish states that behave alike.
    settings.rules.silence = nil
    settings.holdTime = TimeSpan(nanoseconds: .max)
    settings.phone.extensionIdleTime = .seconds(6)
    var world = World(settings: settings)
    world.make(.open)
    world.settle(until: { $0.isSettled })
    for _ in 0..<bounds[.pushes] { world.make(.invoice) }
    world.settle(until: { $0.unpaidInvoices.count == bounds[.pushes] })
    if bounds[.moves] > 0 { world.backUp() }
    world.make(.home)
    if appIsSuspended {
      world.settle(until: { $0.lives.app?.value.isSuspended == true && $0.wires.all.isEmpty })
    } else {
      world.settle(until: { $0.lives.app?.value.claim == nil })
      world.make(.quit)
      world.settle(until: { $0.lives.app == nil && $0.presenceQueue.isEmpty && $0.wires.all.isEmpty })
    }
    world.normalise()
    world.isRecorded = isRecorded
    return world
  }
}

extension World {
  /// A payment: with its steps the peer gets the open invoices, which another device needs.
  fileprivate mutating func backUp() {
    let before = unpaidInvoices.count
    make(.invoice)
    settle(until: { $0.unpaidInvoices.count > before })
    if let last = unpaidInvoices.last { make(.pay(last)) }
    settle(until: { $0.isSettled })
  }

  /// Makes the moves that need no user or fault, one after the other, until `condition` holds.
  mutating func settle(until condition: (World) -> Bool) {
    var moves: [Move] = []
    for _ in 0..<100_000 where !condition(self) {
      moves.removeAll(keepingCapacity: true)
      ready(into: &moves)
      if let move = moves.first {
        make(move)
      } else if let next = nextInstant {
        make(.timePasses(until: next))
      } else {
        return
      }
    }
  }
}

/// A recovery run: no more faults and the app in front. It must connect, and everything must settle. If the user stays
/// away, the payments must be received.
struct Healing {
  /// Bound of virtual time, and of moves without time passing.
  static let within = TimeSpan.seconds(120)
  static let movesAtOnce = 5000

  private(set) var world: World
  private let userStaysAway: Bool
  /// Virtual time up to the last reset of the world's clock.
  private var passed = TimeSpan.zero
  private var moves: [Move] = []
  /// The request to move is repeated, but not without time passing.
  private var asksNext = true
  private(set) var hasFailed = false

  init(_ world: World, userStaysAway: Bool) {
    self.world = world
    self.userStaysAway = userStaysAway
    self.world.make(.noMoreFaults(userStaysAway: userStaysAway))
    if !world.phone.device.hasNetwork { self.world.make(.network(isThere: true)) }
    for role in [Role.app, .extension] where self.world.life(role)?.isFrozen == true {
      self.world.make(.thaw(role))
    }
    guard let other = self.world.otherDevice?.value else { return }
    if !other.phone.device.hasNetwork { self.world.make(.onOther(.network(isThere: true))) }
    for role in [Role.app, .extension] where other.lives[role]?.value.isFrozen == true {
      self.world.make(.onOther(.thaw(role)))
    }
  }

  /// The digests on the path to a settled state, or to a state known to recover; nil if the run fails. `onMove` gets
  /// the world after each move.
  mutating func run(isKnown: (UInt64) -> Bool, onMove: (inout World, TimeSpan) -> Void = { _, _ in })
    -> [UInt64]?
  {
    var path: [UInt64] = []
    while passed < Self.within {
      guard becomeQuiet(onMove) else { return fail("After \(Self.movesAtOnce) steps at one instant", onMove) }
      if world.violation != nil { return nil }
      if userStaysAway ? world.arePaymentsReceived : world.isSettled {
        world.checkAtTheEnd()
        return world.violation == nil ? path : nil
      }
      passed = passed + (world.peerNow - .zero)
      world.normalise()
      let digest = Digest.of(world)
      if isKnown(digest) { return path }
      path.append(digest)
      goOn(onMove)
      if world.violation != nil { return nil }
    }
    let span = "\(Self.within.nanoseconds / 1_000_000_000) s"
    return fail(userStaysAway ? "In \(span) without the user" : "\(span) after the last fault", onMove)
  }

  private mutating func fail(_ when: String, _ onMove: (inout World, TimeSpan) -> Void) -> [UInt64]? {
    hasFailed = true
    if userStaysAway { world.reportNotReceived(when) } else { world.reportNoProgress(when) }
    onMove(&world, passed)
    return nil
  }

  /// Makes moves until none is ready. False if there are too many.
  private mutating func becomeQuiet(_ onMove: (inout World, TimeSpan) -> Void) -> Bool {
    for _ in 0..<Self.movesAtOnce {
      moves.removeAll(keepingCapacity: true)
      world.ready(into: &moves)
      guard let move = moves.first, world.violation == nil else { return true }
      world.make(move)
      onMove(&world, passed)
    }
    return false
  }

  /// To the next deadline with an effect.
  private mutating func passTime() {
    let end = world.now + Self.within
    repeat { world.make(.timePasses(until: world.nextInstant ?? end)) } while world.now < end && world.look()
  }

  private mutating func goOn(_ onMove: (inout World, TimeSpan) -> Void) {
    switch world.phone.app {
    case .notRunning, .background, .suspended: if userStaysAway { passTime() } else { world.make(.open) }
    case .foreground where world.isServedElsewhere && asksNext && !world.moving.isAsked(at: world.now):
      asksNext = false
      world.make(.askToMove)
    case .launching, .foreground, .terminating:
      asksNext = true
      passTime()
    }
    onMove(&world, passed)
  }
}

/// The stage transitions that the machines have taken. Excluded from equality and hashing.
public struct Ways: Hashable, Sendable {
  private var taken = SIMD32<UInt64>()

  public init() {}

  public static func == (_: Ways, _: Ways) -> Bool { true }
  public func hash(into _: inout Hasher) {}

  /// Each machine has a table of `width` × `width` bits.
  enum Machine: Int, CaseIterable {
    case app, notifier, appOwnership, notifierOwnership, node, phoneApp, phoneExtension

    var name: String {
      switch self {
      case .app: "app"
      case .notifier: "extension"
      case .appOwnership: "ownership, in the app"
      case .notifierOwnership: "ownership, in the extension"
      case .node: "node"
      case .phoneApp: "app, to the phone"
      case .phoneExtension: "extension, to the phone"
      }
    }
  }

  /// The largest number of stages of a machine; all tables fit into `taken`.
  private static let width = 16

  private static func place(_ machine: Machine, _ from: UInt8, _ to: UInt8) -> Int {
    machine.rawValue * width * width + Int(from) * width + Int(to)
  }

  mutating func add<Stage: RawRepresentable<UInt8>>(_ machine: Machine, _ from: Stage, _ to: Stage) {
    add(machine, from: from.rawValue, to: to.rawValue)
  }

  mutating func add(_ machine: Machine, from: UInt8, to: UInt8) {
    guard from != to else { return }
    let place = Self.place(machine, from, to)
    taken[place / 64] |= 1 << UInt64(place % 64)
  }

  mutating func add(_ other: Ways) { taken |= other.taken }

  private func has(_ machine: Machine, _ from: UInt8, _ to: UInt8) -> Bool {
    let place = Self.place(machine, from, to)
    return taken[place / 64] & 1 << UInt64(place % 64) != 0
  }

  /// One transition of one machine.
  public struct Way: Hashable, Sendable {
    public var machine: String
    public var from: String
    public var to: String
    public var isTaken: Bool
    /// Whether the machine declares it (`Staged.next(after:)`).
    public var isDeclared: Bool
  }

  /// All declared and all taken transitions.
  public var all: [Way] {
    list(.app, AppMachine.self) + list(.notifier, ExtensionMachine.self) + list(.appOwnership, Ownership.self)
      + list(.notifierOwnership, Ownership.self) + list(.node, NodeMachine.self)
      + list(.phoneApp, AppState.self) + list(.phoneExtension, ExtensionState.self)
  }

  private func list<Subject: Staged>(_ machine: Machine, _: Subject.Type) -> [Way] {
    precondition(Subject.Stage.allCases.count <= Self.width)
    var ways: [Way] = []
    for from in Subject.Stage.allCases {
      let declared = Subject.next(after: from)
      for to in Subject.Stage.allCases where to != from {
        let isTaken = has(machine, from.rawValue, to.rawValue)
        guard isTaken || declared.contains(to) else { continue }
        ways.append(
          Way(
            machine: machine.name, from: "\(from)", to: "\(to)", isTaken: isTaken,
            isDeclared: declared.contains(to)))
      }
    }
    return ways
  }
}
