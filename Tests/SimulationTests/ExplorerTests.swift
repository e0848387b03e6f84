import Guardrails
import Heartbeat
import Museum
import Wallet

@testable import Simulation

@Suite("Exploring every interleaving") struct ExplorerTests {
  /// All layers, expanded in batches of `placesAtATime`.
  private func explore(
    _ counts: [Allowance: Int], without rules: [Rule] = [], wallet: WalletProfile = .phoenix,
    placesAtATime: Int = 100
  ) -> Explorer {
    var settings = ExploreSettings()
    settings.world.wallet = wallet
    settings.bounds = Bounds(counts)
    settings.world.without = Rules(rules)
    var explorer = Explorer(settings)
    while !explorer.isDone {
      var next = 0
      while next < explorer.waiting {
        explorer.take(explorer.expand(next..<min(next + placesAtATime, explorer.waiting)))
        next += placesAtATime
      }
      explorer.finishLayer()
    }
    return explorer
  }

  @Test func `A world in which no event may happen has one state`() {
    let explorer = explore([:])
    expect(explorer.states, is: 1)
    expect(explorer.findings, is: [])
  }

  @Test
  func `One push and one opening break no invariant in any interleaving; the batch size changes nothing`() {
    let explorer = explore([.pushes: 1, .opens: 1])
    expect(explorer.findings, is: [])
    #expect(explorer.states > 500)
    #expect(explorer.transitions >= explorer.states - 1, "a step leads to each state but the first")
    #expect(explorer.healed > 100)
    let again = explore([.pushes: 1, .opens: 1], placesAtATime: 7)
    expect(again.states, is: explorer.states)
    expect(again.transitions, is: explorer.transitions)
    expect(again.depth, is: explorer.depth)
    expect(again.ways.all.map(\.isTaken), is: explorer.ways.all.map(\.isTaken))
  }

  /// The app is never opened: each hour the peer announces the payment again.
  @Test func `A payment that is announced for ever gives no state for each announcement`() {
    let explorer = explore([.pushes: 1, .lostPushes: 1], wallet: .bitkit)
    expect(explorer.findings, is: [])
    #expect(explorer.healed > 10)
  }

  @Test func `Raising a bound adds states, and every transition taken before is still taken`() {
    let few = explore([.pushes: 1])
    let more = explore([.pushes: 1, .crashes: 1])
    #expect(more.states > few.states)
    expect(more.findings, is: [])
    let taken = zip(few.ways.all, more.ways.all).allSatisfy { !$0.isTaken || $1.isTaken }
    #expect(taken)
  }

  @Test func `Without the inode check a healthy owner is displaced, and the found run reports just that`()
    throws
  {
    let explorer = explore([.pushes: 1, .opens: 1, .replacedLocks: 1], without: [.inodeCheck])
    let broken = try #require(explorer.findings.first).state
    var violations: [Violation] = []
    var moves = 0
    explorer.tell(broken) { world, _ in
      moves += 1
      for case .violation(let violation) in world.takeSaid() { violations.append(violation) }
    }
    expect(violations.map(\.invariant), is: [.healthyOwnerStays])
    #expect(moves > 10)
  }

  @Test func `Without fenced writes a superseded owner writes`() throws {
    let explorer = explore([.pushes: 1, .opens: 1, .replacedLocks: 1], without: [.fencedWrites])
    expect(explorer.findings.first?.violation.invariant, is: .oneDriver)
  }

  @Test func `The machines take only declared transitions`() {
    let ways = explore([.pushes: 1, .opens: 1, .crashes: 1]).ways.all
    #expect(ways.contains { $0.isTaken })
    expect(ways.filter { $0.isTaken && !$0.isDeclared }, is: [])
  }

  /// Normalising must not change the future: otherwise the explorer would merge states that go on differently.
  @Test(arguments: 1...24)
  func `A world normalised after every step goes on like one that is not`(seed: UInt64) { walk(seed, .baton) }

  @Test(arguments: 1...3, Coordination.allCases.filter { $0 != .baton })
  func `With other products' coordination a world behaves the same after normalisation`(
    seed: UInt64, coordination: Coordination
  ) { walk(seed, coordination) }

  @Test(arguments: 1...6) func `A world with two devices goes on like one that is not normalised`(
    seed: UInt64
  ) { walk(seed, .baton, moves: 4) }

  @Test(arguments: 1...12)
  func `A world whose extension only notifies goes on like one that is not normalised`(seed: UInt64) {
    walk(seed, .baton, wallet: .bitkit)
  }

  private func walk(
    _ seed: UInt64, _ coordination: Coordination, wallet: WalletProfile = .phoenix, moves: Int = 0
  ) {
    var settings = ExploreSettings()
    settings.world.wallet = wallet
    settings.world.coordination = coordination
    settings.bounds = Bounds([
      .pushes: 3, .opens: 4, .crashes: 3, .freezes: 3, .preemptions: 255, .messageFaults: 3, .cuts: 1,
      .slowConnections: 2, .peerRestarts: 1, .replacedLocks: 1, .lostBeats: 1, .lostPushes: 1,
      .clockSteps: 2, .tasks: 2, .moves: moves,
    ])
    var generator = SeededGenerator(seed: seed)
    var plain = Place(world: settings.startWorld(), left: settings.bounds)
    var short = plain
    var movesOfPlain: [Move] = []
    var movesOfShort: [Move] = []
    for step in 1...600 {
      plain.moves(into: &movesOfPlain)
      short.moves(into: &movesOfShort)
      expect(movesOfPlain.count, is: movesOfShort.count)
      guard !movesOfShort.isEmpty, movesOfPlain.count == movesOfShort.count else { return }
      // The first move happens by itself, and should be more frequent than the others.
      let choice = generator.chance(70) ? 0 : generator.below(movesOfShort.count)
      plain.make(movesOfPlain[choice])
      plain.world.sortPresenceQueue()
      short.make(movesOfShort[choice])
      short.world.normalise()
      var shortened = plain
      shortened.world.normalise()
      guard shortened == short else {
        Issue.record(
          "after step \(step), \(movesOfShort[choice]), the two differ: \(differences(shortened, short))")
        return
      }
      guard short.world.violation == nil else { return }
    }
  }

  /// The parts in which two places differ, to explain a failure.
  private func differences(_ one: Place, _ other: Place) -> [String] {
    func parts(_ name: String, _ left: Any, _ right: Any) -> [String] {
      zip(Mirror(reflecting: left).children, Mirror(reflecting: right).children).compactMap { left, right in
        let texts = ("\(left.value)", "\(right.value)")
        return texts.0 == texts.1 ? nil : "\(name).\(left.label ?? ""): \(texts.0) and \(texts.1)"
      }
    }
    let worlds = (one.world, other.world)
    return parts("place", one, other).filter { !$0.hasPrefix("place.world") && !$0.hasPrefix("place.passed") }
      + parts("app", worlds.0.lives.app?.value as Any, worlds.1.lives.app?.value as Any)
      + parts("extension", worlds.0.lives.notifier?.value as Any, worlds.1.lives.notifier?.value as Any)
      + parts("container", worlds.0.container.value, worlds.1.container.value)
      + parts("peer", worlds.0.peer.value, worlds.1.peer.value)
      + parts("world", worlds.0, worlds.1).filter { !$0.contains("Boxed") && !$0.hasPrefix("world.ways") }
  }
}

/// Without a rule the checks must find a violation; otherwise their silence with all rules would prove nothing.
@Suite("Without a rule") struct RuleTests {
  private static let length = TimeSpan.seconds(200)

  private func firstFailure(
    without rules: [Rule], legacy: Bool = false, length: TimeSpan = Self.length,
    seeds: ClosedRange<UInt64> = 1...1000
  ) -> RunResult? {
    for seed in seeds {
      var settings = RunSettings(seed: seed)
      settings.world.without = Rules(rules)
      settings.world.peerIsLegacy = legacy
      settings.length = length
      var run = SeedRun(settings)
      let result = run.run()
      if result.violation != nil { return result }
    }
    return nil
  }

  @Test func `Without the release order a healthy owner is displaced`() {
    expect(firstFailure(without: [.releaseOrder])?.violation?.invariant, is: .healthyOwnerStays)
  }

  @Test func `Without init-check and state-from-claim two processes use the node at once`() {
    expect(firstFailure(without: [.initCheck, .stateFromClaim])?.violation?.invariant, is: .oneDriver)
  }

  @Test func `Without the wait for all parts a preimage is released for one part`() {
    let violation = firstFailure(without: [.completeSet])?.violation
    expect(violation?.invariant, is: .paidIsReceivedOnce)
    expect(violation?.sentence, is: "The preimage leaves before all parts of its payment have arrived.")
  }

  @Test func `A broken run shrinks to at most 6 actions and faults that break the same invariant`() throws {
    let failure = try #require(firstFailure(without: [.initCheck, .stateFromClaim]))
    let violation = try #require(failure.violation)
    var settings = RunSettings(seed: failure.seed)
    settings.world.without = Rules([.initCheck, .stateFromClaim])
    settings.length = Self.length
    var shrinker = Shrinker(settings, breaking: violation.invariant)
    let short = shrinker.shrink()
    #expect((short.only?.count ?? 1000) <= 6)
    var again = SeedRun(short)
    expect(again.run().violation?.invariant, is: violation.invariant)
  }

  @Test func `The names of the rules are distinct, and rules can be combined`() {
    expect(Set(Rule.allCases.map(\.name)).count, is: Rule.allCases.count)
    expect(Rules(Rule.allCases).list, is: Rule.allCases)
    expect(Rules([.lock, .incarnation]).list, is: [.lock, .incarnation])
  }
}

/// Other products' coordination in an exhaustive search, which finds each flaw by itself.
@Suite("Other products' coordination") struct OtherCoordinationTests {
  /// Searches layer by layer, so that each finding is a shortest one.
  private func finds(
    _ sentences: String..., as coordination: Coordination, in counts: [Allowance: Int],
    statesMax: Int = 20_000
  ) -> Bool {
    var settings = ExploreSettings()
    settings.world.coordination = coordination
    settings.findsAll = true
    settings.bounds = Bounds(counts)
    settings.bounds[.pushes] = 1
    settings.bounds[.opens] = 1
    var explorer = Explorer(settings)
    func isFound() -> Bool {
      sentences.allSatisfy { words in explorer.findings.contains { $0.violation.sentence.contains(words) } }
    }
    while !explorer.isDone, !isFound(), explorer.states < statesMax {
      explorer.take(explorer.expand(0..<explorer.waiting))
      explorer.finishLayer()
    }
    return isFound()
  }

  @Test func `Phoenix: after the extension has finished, the app waits while the last beat looks fresh`() {
    #expect(finds("the extension has finished, but its last beat looks fresh for 5 s", as: .phoenix, in: [:]))
  }

  @Test(.shows("P-0.4"))
  func `Phoenix: with a lost, repeated or late message both processes check and then connect`() {
    #expect(finds("checked before the extension's first beat", as: .phoenix, in: [.messageFaults: 1]))
  }

  @Test
  func
    `Phoenix: with a task the app in front outvotes the extension, and in the background tells it nothing`()
  {
    #expect(
      finds(
        "its votes for a connection outweigh the one against it",
        "runs in the background with a task and sends no message there", as: .phoenix, in: [.tasks: 1]))
  }

  @Test func `Phoenix: a clock set forward connects both; set back, it makes the app wait`() {
    #expect(
      finds(
        "the wall clock was stepped, so the extension's", "is in the future", as: .phoenix,
        in: [.clockSteps: 1]))
  }

  @Test(.shows("P-0.4")) func `Phoenix: with a lost, repeated or late message a payment is received twice`() {
    #expect(finds("A payment is received a second time.", as: .phoenix, in: [.messageFaults: 1]))
  }

  @Test func `Bitkit: both take the lock after a check, and a killed process leaves it locked`() {
    #expect(
      finds("both checked the lock, found it free, and then took it", as: .bitkit2025, in: [.preemptions: 1]))
    #expect(
      finds(
        "an extension that no longer runs a node still holds the lock", as: .bitkit2025, in: [.crashes: 1]))
  }

  @Test func `Bitkit of 2026: with one node there is no second, also when a process is killed`() {
    #expect(!finds("run their node at the same time", as: .bitkit, in: [.preemptions: 1, .crashes: 1]))
  }

  @Test func `Mutiny: an extension that has stopped its node still holds the lock`() {
    #expect(finds("an extension that no longer runs a node still holds the lock", as: .mutiny, in: [:]))
  }

  @Test func `Matrix: a thawed holder continues with its node`() {
    #expect(
      finds(
        "was frozen until its sign of life was stale, and its node goes on", as: .matrix2023,
        in: [.freezes: 1]))
  }

  @Test func `Baton breaks no invariant with a set clock, a task or a late message in 3,000 states`() {
    #expect(!finds("", as: .baton, in: [.clockSteps: 1, .tasks: 1], statesMax: 3000))
    #expect(!finds("", as: .baton, in: [.messageFaults: 1], statesMax: 3000))
  }
}

/// Each check finds its violation.
@Suite("Checks of a world") struct CheckTests {
  /// A released app in the background, suspended with this order pending.
  private func suspended(with order: ContainerOrder, isFrozen: Bool = false) -> World {
    var world = World()
    world.make(.open)
    world.live(for: .seconds(10))
    world.make(.home)
    world.live(for: .seconds(2))
    world.lives.app?.value.orders = [.container(order)]
    if isFrozen { world.make(.freeze(.app)) }
    world.make(.timePasses(until: world.now + .seconds(4)))
    world.make(.phoneWakes)
    return world
  }

  @Test func `An app suspended during a claim or a log checkpoint is killed, which is a violation`() throws {
    let world = suspended(with: .guardrail(.settle))
    expect(world.violation?.invariant, is: .releasedBeforeSuspension)
    #expect(world.life(.app) == nil)
    let claiming = suspended(with: .guardrail(.claim(seen: 1, reason: .holderDied)))
    expect(claiming.violation?.invariant, is: .releasedBeforeSuspension)
  }

  @Test func `An app suspended before a beat, or frozen before a checkpoint, is not killed`() {
    let beat = ContainerOrder.guardrail(.beat(epoch: 1, phase: .established, counter: 1))
    for world in [suspended(with: beat), suspended(with: .guardrail(.settle), isFrozen: true)] {
      expect(world.life(.app)?.isSuspended, is: true)
      #expect(world.violation == nil)
    }
  }

  @Test func `If the newest status is not shown, or not shown last, that is a violation`() {
    let shown: [WalletDirective] = [
      .phone(.guardrail(.show(.claiming))), .container(.guardrail(.look)), .phone(.guardrail(.show(.idle))),
      .container(.guardrail(.settle)),
    ]
    func violation(_ newest: Status, _ orders: [WalletDirective]) -> Invariant? {
      var world = World()
      world.checkShown(newest, orders)
      return world.violation?.invariant
    }
    #expect(violation(.idle, shown) == nil)
    expect(violation(.claiming, shown), is: .newestIsShown)
    expect(violation(.idle, [.container(.guardrail(.look))]), is: .newestIsShown)
  }
}
