import GeneratedPages
import Guardrails
import Heartbeat
import Lightning
import PhonePolicy
import SimulationSupport

@testable import Simulation

@Suite("Runs of a seed") struct SeedRunTests {
  @Test(.shows("B-1.5.0e"), arguments: [false, true])
  func `No invariant breaks in 24 runs with every kind of fault, with or without silent pushes`(
    peerIsLegacy: Bool
  ) {
    var faults = [Int](repeating: 0, count: FaultKind.allCases.count)
    var paid = 0
    var sent = 0
    var paidWithSilentPushes = 0
    for seed in 1...24 as ClosedRange<UInt64> {
      var settings = RunSettings(seed: seed)
      settings.world.peerIsLegacy = peerIsLegacy
      var run = SeedRun(settings)
      let result = run.run()
      #expect(result.violation == nil, "baton replay --seed \(seed)")
      for place in faults.indices { faults[place] += result.faults[place] }
      paid += result.paid
      sent += result.arrived
      let hasSilentPushes = Agenda(settings).world.sendsSilentPushes
      if hasSilentPushes { paidWithSilentPushes += result.paid }
    }
    for (kind, count) in zip(FaultKind.allCases, faults) {
      // Without fences the peer cannot tell two devices apart.
      #expect(count > 0 || kind == .otherDevice && peerIsLegacy, "\(kind.rawValue)")
    }
    #expect(paid > 200)
    #expect(sent > 40)
    #expect(paidWithSilentPushes > 50)
    #expect(paid - paidWithSilentPushes > 50)
  }

  /// A digest of all directives of some runs, the same in debug and release builds and on any machine. It changes with
  /// every change of a core: run this test with BATON_WRITE_PAGES=1, and raise `JournalForm.current` if older journals replay differently.
  @Test func `The stories of four seeds have the stored digest in every build`() throws {
    var digest = Digest()
    for seed in 1...4 as ClosedRange<UInt64> {
      var settings = RunSettings(seed: seed)
      settings.length = .seconds(120)
      var run = SeedRun(settings, isRecorded: true)
      _ = run.run { world in
        for said in world.takeSaid() { digest.add("\(world.peerNow.nanoseconds) \(said)\n") }
      }
    }
    try GeneratedPage("Generated/seed-stories.digest").expect(digest.hex + "\n")
  }

  @Test func `Recording a run does not change it`() {
    for seed in 1...3 as ClosedRange<UInt64> {
      var silent = SeedRun(RunSettings(seed: seed))
      var heard = SeedRun(RunSettings(seed: seed), isRecorded: true)
      expect(silent.run(), is: heard.run { _ = $0.takeSaid() })
    }
  }

  @Test func `Different seeds and different orders give different runs`() {
    var results = Set<UInt64>()
    for seed in 1...6 as ClosedRange<UInt64> {
      var run = SeedRun(RunSettings(seed: seed))
      results.insert(run.run().moves)
    }
    #expect(results.count > 4)
    let orders = (0..<4 as Range<UInt64>).map { order in
      var settings = RunSettings(seed: 1)
      settings.order = order
      var run = SeedRun(settings)
      return run.run()
    }
    expect(Set(orders).count, is: 4)
  }
}

/// FNV-1a, sufficient to distinguish texts.
private struct Digest {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  var hex: String { String(value, radix: 16) }

  /// Regression: a payment was fulfilled before messages could be sent, and the next step stored it without its
  /// receipt.
  @Test func `Seed 4055, in which a payment is fulfilled while nothing can be sent, breaks no invariant`() {
    var settings = RunSettings(seed: 4055)
    settings.only = [21, 22, 23, 28, 29, 30, 31, 35, 37, 39, 41, 42]
    var run = SeedRun(settings)
    #expect(run.run().violation == nil)
  }
}

@Suite("Splices in runs of a seed") struct SplicingRunTests {
  private func settings(_ seed: UInt64) -> RunSettings {
    var settings = RunSettings(seed: seed)
    settings.world.splices = true
    return settings
  }

  @Test func `In 24 seeds with faults each splice is completed or absent at both ends`() {
    var (wanted, begun, done, pendingAtStart) = (0, 0, 0, 0)
    for seed in 1...24 as ClosedRange<UInt64> {
      var run = SeedRun(settings(seed))
      var pid: Int32 = 0
      let result = run.run { world in
        for role in [Role.app, .extension] {
          guard let life = world.life(role), life.claim != nil, life.identity.pid != pid else { continue }
          pid = life.identity.pid
          if world.container.value.node.channel?.pendingSplice != nil { pendingAtStart += 1 }
        }
      }
      #expect(result.violation == nil, "seed \(seed): \(result.violation?.sentence ?? "")")
      wanted += run.world.withdrawals.count
      begun += run.world.withdrawals.count { if case .begun = $0.answer { true } else { false } }
      done += run.world.splices.done.count
    }
    #expect(wanted > 300)
    #expect(begun > 60 && done > 60)
    #expect(pendingAtStart > 5)
  }

  // MARK: The checks find violations

  private func world() -> World {
    var settings = WorldSettings()
    settings.splices = true
    return World(settings: settings)
  }

  @Test
  func
    `A funding transaction without a request, and different funding outputs at the two ends, are violations`()
  {
    var world = world()
    var record = world.peer.value.state.channel.record
    world.checkFunding(record)
    #expect(world.violation == nil)
    record.splicedTo = OutPoint(transaction: TransactionID(hash: record.id), index: 1)
    world.checkFunding(record)
    expect(
      world.violation?.sentence,
      is: "The channel moves to a funding transaction that the user did not request."
    )
    var other = self.world()
    other.container.value.node.channel = try? Channel(restoring: record)
    other.checkSplicesAtTheEnd()
    expect(other.violation?.sentence, is: "The two sides have different funding outputs.")
  }
}

/// An extension that ends during a payment, while the app stays closed.
@Suite("An extension killed at any step") struct CutShortTests {
  @Test
  func `A payment stored but not settled by a killed extension is settled and reported at the next push`()
    throws
  {
    try cutShort { $0.make(.kill(.extension)) }
  }

  @Test
  func `A payment stored by an extension that loses the network and is killed is settled at the next push`()
    throws
  {
    try cutShort { world in
      world.make(.network(isThere: false))
      world.live(for: .seconds(1))
      world.make(.kill(.extension))
      world.make(.network(isThere: true))
    }
  }

  private func cutShort(_ cut: (inout World) -> Void) throws {
    var cutPending = 0
    var steps = 0
    while true {
      steps += 1
      var world = try World.withAClosedApp()
      world.make(.pay(0))
      let end = world.peerNow + .seconds(40)
      for _ in 0..<steps where world.peerNow < end { world.step(until: end) }
      guard world.peerNow < end else { break }
      guard world.life(.extension) != nil else { continue }
      let isPaid = world.payments.first?.state == .paid
      cut(&world)
      let isPending = !isPaid && !world.container.value.received.isEmpty
      world.live(for: .seconds(60))
      #expect(world.violation == nil, "after \(steps) steps")
      guard isPending else { continue }
      cutPending += 1
      expect(world.payments.map(\.state), is: [.paid], "after \(steps) steps")
      expect(world.pushes.last?.shown, is: 1, "after \(steps) steps")
    }
    #expect(cutPending > 2)
  }
}

/// Owners of the node are killed, frozen, thawed as zombies or blocked every few steps, during single and multi-part
/// payments, outgoing payments and splices. Far denser than the runs of a seed, and without faults of the phone.
@Suite("Storms of faults") struct StormTests {
  private struct Storm {
    static let invoices = 12
    var story: Story
    var fate: SeededGenerator
    var paid = 0
    /// Owners thawed after another process had claimed.
    var zombies = 0

    init(_ seed: UInt64, without rules: [Rule] = []) {
      var settings = WorldSettings()
      settings.without = Rules(rules)
      settings.splices = seed.isMultiple(of: 3)
      settings.phone.foregroundPushes = .extension
      // No payment fails by the LSP's hold time.
      settings.holdTime = .seconds(100_000)
      settings.externalDelay = seed.isMultiple(of: 2) ? .zero : .seconds(3)
      story = Story(seed, settings: settings)
      fate = SeededGenerator(seed: ~seed)
      story.world.make(.open)
      _ = story.waits { $0.isSettled }
      for _ in 0..<Self.invoices { story.world.make(.invoice) }
      _ = story.waits { $0.unpaidInvoices.count == Self.invoices }
    }

    mutating func rage() { for _ in 0..<1200 where story.world.violation == nil { step() } }

    mutating func step() {
      let role = fate.pick(Role.allCases)
      switch fate.below(120) {
      case 0: story.world.make(.kill(role))
      case 1: freeze(role)
      case 2: thaw()
      case 3: story.world.make(.failStorage(role, StorageFault(.write, .blocked)))
      case 4: story.world.make(.open)
      case 5: story.world.make(.home)
      case 6: pay()
      case 7: story.world.make(.send(fate.below(4), isKnown: fate.chance(80)))
      case 8 where story.world.settings.splices: story.world.make(.withdraw(UInt64(1000 + fate.below(4000))))
      default: story.step(until: story.world.peerNow + .seconds(3))
      }
    }

    /// Half of the freezes come just before a write, and last until the other process claims.
    private mutating func freeze(_ role: Role) {
      guard fate.chance(50) else { return story.world.make(.freeze(role)) }
      _ = story.waits(.seconds(1)) { $0.isAboutToWrite(role) }
      story.world.make(.freeze(role))
      if let wire = story.world.openWire { story.world.make(.cut(wire: wire)) }
      if role == .extension { story.world.make(.open) } else { pay() }
      let end = story.world.peerNow + .seconds(7)
      while story.world.peerNow < end, story.world.violation == nil { story.step(until: end) }
    }

    private mutating func thaw() {
      for role in Role.allCases {
        if let life = story.world.life(role), life.isFrozen, let claim = life.claim,
          !story.world.container.value.isOwned(by: claim)
        {
          zombies += 1
        }
        story.world.make(.thaw(role))
      }
    }

    /// Every other payment has three parts, which may reach different owners.
    private mutating func pay() {
      guard paid < Self.invoices else { return }
      let count = paid.isMultiple(of: 2) ? 1 : 3
      for part in 1...count { story.world.make(.payPart(paid, part: part, of: count)) }
      paid += 1
    }

    mutating func calmDown() {
      thaw()
      story.world.make(.noMoreFaults(userStaysAway: false))
      while paid < Self.invoices { pay() }
      story.world.make(.open)
      #expect(story.waits(.seconds(240)) { $0.isSettled })
      story.world.checkAtTheEnd()
    }
  }

  @Test func `Under dense faults each payment is received whole or fails, and no invariant breaks`() {
    var (lives, zombies, sent, spliced) = (0, 0, 0, 0)
    for seed in 1...24 as ClosedRange<UInt64> {
      var storm = Storm(seed)
      storm.rage()
      storm.calmDown()
      let world = storm.story.world
      #expect(world.violation == nil, "seed \(seed): \(world.violation?.sentence ?? "")")
      for (index, invoice) in world.invoices.enumerated() {
        let states = Set(world.payments.filter { $0.invoice == index }.map(\.state))
        let received = world.container.value.received.count {
          $0.invoice.paymentHash == invoice.invoice.paymentHash
        }
        // Parts that waited for a minute are all failed.
        expect(states, is: (received == 1 ? [.paid] : [.failed]), "seed \(seed): \(index)")
        #expect(received == 1 || !index.isMultiple(of: 2), "seed \(seed): \(index)")
      }
      expect(world.container.value.node.channel?.htlcs, is: [], "seed \(seed)")
      lives += Int(world.container.value.row?.epoch ?? 0)
      zombies += storm.zombies
      sent += world.sends.count { $0.hasArrived }
      spliced += world.splices.done.count
    }
    #expect(lives > 200)
    #expect(zombies > 10)
    #expect(sent > 30)
    #expect(spliced > 10)
  }

  @Test func `Without fenced writes a superseded owner writes, which is a violation`() {
    let isSeen = (1...24 as ClosedRange<UInt64>).contains { seed in
      var storm = Storm(seed, without: [.fencedWrites])
      storm.rage()
      return storm.story.world.violation?.invariant == .oneDriver
    }
    #expect(isSeen)
  }
}
