import Ground
import SimulationSupport
import Testing

@testable import Simulation

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

    mutating func rage() {
      for _ in 0..<1200 where story.world.violation == nil { step() }
    }

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

  @Test
  func `Under dense faults each payment is received whole or fails, and no invariant breaks`() {
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
        #expect(states == (received == 1 ? [.paid] : [.failed]), "seed \(seed): \(index)")
        #expect(received == 1 || !index.isMultiple(of: 2), "seed \(seed): \(index)")
      }
      #expect(world.container.value.node.channel?.htlcs == [], "seed \(seed)")
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
