import Ground
import Lightning
import SimulationSupport
import Testing

@testable import Simulation

/// Owners of the node that die, freeze, go on as zombies and find the container blocked every few steps, while money comes whole
/// and in parts, is sent, and leaves on chain. Far denser than the runs of a seed, and without what only the phone suffers.
@Suite("Owners of the node that die anywhere") struct StormTests {
  private struct Storm {
    var story: Story
    var fate: SeededGenerator
    var paid = 0
    /// Owners that went on after somebody else had claimed.
    var zombies = 0

    init(_ seed: UInt64) {
      var settings = WorldSettings()
      settings.splices = seed.isMultiple(of: 3)
      // No payment fails because nobody came for it in time.
      settings.holdTime = .seconds(100_000)
      settings.elsewhereDelay = seed.isMultiple(of: 2) ? .zero : .seconds(3)
      story = Story(seed, settings: settings)
      fate = SeededGenerator(seed: ~seed)
      story.world.make(.open)
      _ = story.waits { $0.isSettled }
      for _ in 0..<6 { story.world.make(.invoice) }
      _ = story.waits { $0.unpaidInvoices.count == 6 }
    }

    mutating func step() {
      let role = fate.pick(Role.allCases)
      switch fate.below(120) {
      case 0: story.world.make(.kill(role))
      case 1: story.world.make(.freeze(role))
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

    /// Every other one in three parts, of which no other owner need see more than one.
    private mutating func pay() {
      guard paid < 6 else { return }
      let count = paid.isMultiple(of: 2) ? 1 : 3
      for part in 1...count { story.world.make(.payPart(paid, part: part, of: count)) }
      paid += 1
    }

    mutating func calmDown() {
      thaw()
      story.world.make(.noMoreFaults)
      while paid < 6 { pay() }
      story.world.make(.open)
      #expect(story.waits(.seconds(240)) { $0.isSettled })
      story.world.checkAtTheEnd()
    }
  }

  @Test(
    "Each payment is whole or not at all, once, at both ends; so is what is sent and what leaves on chain")
  func storms() {
    var (lives, zombies, sent, spliced) = (0, 0, 0, 0)
    for seed in 1...150 as ClosedRange<UInt64> {
      var storm = Storm(seed)
      for _ in 0..<1500 where storm.story.world.violation == nil { storm.step() }
      storm.calmDown()
      let world = storm.story.world
      #expect(world.violation == nil, "seed \(seed): \(world.violation?.sentence ?? "")")
      for (index, invoice) in world.invoices.enumerated() {
        let states = Set(world.payments.filter { $0.invoice == index }.map(\.state))
        let received = world.container.value.received.count {
          $0.invoice.paymentHash == invoice.invoice.paymentHash
        }
        // Parts that were kept waiting for a minute are given back, all of them.
        #expect(states == (received == 1 ? [.paid] : [.failed]), "seed \(seed): \(index)")
        #expect(received == 1 || !index.isMultiple(of: 2), "seed \(seed): \(index)")
      }
      #expect(world.container.value.node.channel?.htlcs == [], "seed \(seed)")
      lives += Int(world.container.value.row?.epoch ?? 0)
      zombies += storm.zombies
      sent += world.sends.count { $0.hasArrived }
      spliced += world.fundings.done.count
    }
    #expect(
      lives > 1500 && zombies > 100 && sent > 150 && spliced > 50, "\(lives) \(zombies) \(sent) \(spliced)")
  }
}
