import Ground
import Heartbeat
import Museum
import Testing
import Guardrails

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
    #expect(explorer.states == 1)
    #expect(explorer.findings == [])
  }

  @Test
  func `One push and one opening break no invariant in any interleaving; the batch size changes nothing`() {
    let explorer = explore([.pushes: 1, .opens: 1])
    #expect(explorer.findings == [])
    #expect(explorer.states > 500)
    #expect(explorer.healed > 100)
    let again = explore([.pushes: 1, .opens: 1], placesAtATime: 7)
    #expect(again.states == explorer.states)
    #expect(again.transitions == explorer.transitions)
    #expect(again.depth == explorer.depth)
    #expect(again.ways.all.map(\.isTaken) == explorer.ways.all.map(\.isTaken))
  }

  /// The app is never opened: each hour the peer announces the payment again.
  @Test func `A payment that is announced for ever gives no state for each announcement`() {
    let explorer = explore([.pushes: 1, .lostPushes: 1], wallet: .bitkit)
    #expect(explorer.findings == [])
    #expect(explorer.healed > 10)
  }

  @Test func `Raising a bound adds states, and every transition taken before is still taken`() {
    let few = explore([.pushes: 1])
    let more = explore([.pushes: 1, .crashes: 1])
    #expect(more.states > few.states)
    #expect(more.findings == [])
    let taken = zip(few.ways.all, more.ways.all).allSatisfy { !$0.isTaken || $1.isTaken }
    #expect(taken)
  }

  @Test func `Without the inode check a healthy owner is displaced, and the found run reports just that`()
    throws
  {
    let explorer = explore(
      [.pushes: 1, .opens: 1, .replacedLocks: 1], without: [.inodeCheck])
    let broken = try #require(explorer.findings.first).state
    var violations: [Violation] = []
    var moves = 0
    explorer.tell(broken) { world, _ in
      moves += 1
      for case .violation(let violation) in world.takeSaid() { violations.append(violation) }
    }
    #expect(violations.map(\.invariant) == [.healthyOwnerStays])
    #expect(moves > 10)
  }

  @Test func `Without fenced writes a superseded owner writes`() throws {
    let explorer = explore([.pushes: 1, .opens: 1, .replacedLocks: 1], without: [.fencedWrites])
    #expect(explorer.findings.first?.violation.invariant == .oneDriver)
  }

  @Test func `The machines take only declared transitions`() {
    let ways = explore([.pushes: 1, .opens: 1, .crashes: 1]).ways.all
    #expect(ways.contains { $0.isTaken })
    #expect(ways.filter { $0.isTaken && !$0.isDeclared } == [])
  }

  /// Normalising must not change the future: otherwise the explorer would merge states that go on differently.
  @Test(arguments: 1...24)
  func `A world normalised after every step goes on like one that is not`(seed: UInt64) { walk(seed, .baton) }

  @Test(
    arguments: 1...3,
    Coordination.allCases.filter { $0 != .baton })
  func `With other products' coordination a world behaves the same after normalisation`(
    seed: UInt64, coordination: Coordination
  ) { walk(seed, coordination) }

  @Test(arguments: 1...6)
  func `A world with two devices goes on like one that is not normalised`(seed: UInt64) {
    walk(seed, .baton, moves: 4)
  }

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
      #expect(movesOfPlain.count == movesOfShort.count)
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

  @Test func `The set of seen states finds each inserted digest, and not an absent one`() {
    var seen = SeenStates()
    var generator = SeededGenerator(seed: 5)
    var digests: [UInt64] = [1, .max]
    for _ in 0..<100_000 { digests.append(generator.next() | 2) }
    var refused = 0
    for digest in digests where !seen.insert(digest) { refused += 1 }
    #expect(seen.count == Set(digests).count)
    #expect(seen.count + refused == digests.count)
    let allFound = digests.allSatisfy { seen.contains($0) }
    #expect(allFound)
    let isNewAgain = seen.insert(digests[7])
    #expect(!isNewAgain)
    #expect(!seen.contains(0x1234_5678_9ABC_DEF0))
  }
}
