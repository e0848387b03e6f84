import Ground
import Guardrails
import Heartbeat
import Lightning
import PhonePolicy
import Testing

@testable import Simulation

@Suite("Splices in runs of a seed") struct SplicingRunTests {
  private func settings(_ seed: UInt64) -> RunSettings {
    var settings = RunSettings(seed: seed)
    settings.world.splices = true
    return settings
  }

  @Test
  func `In 24 seeds with faults each splice is completed or absent at both ends`() {
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
    #expect(
      world.violation?.sentence == "The channel moves to a funding transaction that the user did not request."
    )
    var other = self.world()
    other.container.value.node.channel = try? Channel(restoring: record)
    other.checkSplicesAtTheEnd()
    #expect(other.violation?.sentence == "The two sides have different funding outputs.")
  }
}
