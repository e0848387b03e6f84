import Ground
import Guardrails
import Heartbeat
import Testing

/// App and extension against each other, with the real claim rule.
@Suite struct TwoMachinesTests {
  private func world(_ seed: UInt64, extensionConnected: Bool) -> TwoProcessWorld {
    var world = TwoProcessWorld(seed: seed)
    world.start(.app)
    world.pay(1)
    if extensionConnected {
      #expect(world.run(within: .seconds(2)) { $0.owns(.extension) })
    }
    return world
  }

  private func open(_ world: inout TwoProcessWorld) {
    world.start(.app)
    world.send(.enteredForeground, to: .app)
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func anAppInTheBackgroundLetsTheExtensionReceive(seed: UInt64) {
    var world = world(seed, extensionConnected: true)
    #expect(world.run(within: .seconds(10)) { $0.deliveries[1] == 1 })
    #expect(world.received == [paymentHash(of: 1)])
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func aConnectedExtensionHandsOver(seed: UInt64) {
    var world = world(seed, extensionConnected: true)
    open(&world)
    #expect(world.run(within: .seconds(2)) { $0.owns(.app) })
    #expect(world.deliveries == [1: 1])
    #expect(world.run(within: .seconds(2)) { $0.received == [paymentHash(of: 1)] })
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func anUnconnectedExtensionStepsBack(seed: UInt64) {
    var world = world(seed, extensionConnected: false)
    world.run(within: .seconds(1)) { $0.process(.extension)?.node != nil }
    open(&world)
    #expect(world.run(within: .seconds(2)) { $0.owns(.app) })
    #expect(world.run(within: .seconds(2)) { $0.deliveries == [1: 1] && $0.received == [paymentHash(of: 1)] })
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func anAppThatDiesBeforeItClaimsLeavesThePaymentToTheExtension(
    seed: UInt64
  ) {
    var world = world(seed, extensionConnected: false)
    world.run(within: .seconds(1)) { $0.process(.extension)?.node != nil }
    open(&world)
    world.run(within: .seconds(1)) { $0.process(.extension)?.node == nil }
    world.kill(.app)
    #expect(world.run(within: .seconds(3)) { $0.received == [paymentHash(of: 1)] })
    #expect(world.run(within: .seconds(30)) { $0.deliveries == [1: 1] })
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func everyMessageMayBeLost(seed: UInt64) {
    var world = world(seed, extensionConnected: true)
    world.lossPercent = 100
    open(&world)
    #expect(world.run(within: .seconds(5)) { $0.owns(.app) }, "the wish is read with the next beat")
    #expect(world.deliveries == [1: 1])
    #expect(world.faults == [])
  }

  @Test(arguments: Role.allCases) func aKilledHolderIsFollowedAtOnce(role: Role) {
    var world = world(1, extensionConnected: role == .extension)
    open(&world)
    if role == .app { world.run(within: .seconds(5)) { $0.owns(.app) } }
    world.kill(role)
    if role == .app { world.pay(2) }
    #expect(world.run(within: .seconds(1)) { $0.owns(role.other) })
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func aFrozenExtensionIsReplacedAndItsZombieHarmsNobody(
    seed: UInt64
  ) {
    var world = world(seed, extensionConnected: true)
    world.freeze(.extension)
    open(&world)
    world.run(for: .milliseconds(4_900))
    #expect(!world.owns(.app), "not before five seconds of silence")
    #expect(world.run(within: .seconds(2)) { $0.owns(.app) })
    world.thaw(.extension)
    #expect(world.run(within: .seconds(5)) { $0.process(.extension) == nil }, "fenced, and ended")
    #expect(world.owns(.app))
    #expect(world.deliveries == [1: 1])
    #expect(world.run(within: .seconds(2)) { $0.received == [paymentHash(of: 1)] })
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func aFrozenAppDoesNotLoseThePaymentAndTakesTheNodeBack(
    seed: UInt64
  ) {
    var world = TwoProcessWorld(seed: seed)
    open(&world)
    #expect(world.run(within: .seconds(2)) { $0.owns(.app) })
    world.freeze(.app)
    world.pay(1)
    #expect(world.run(within: .seconds(7)) { $0.received == [paymentHash(of: 1)] })
    world.thaw(.app)
    #expect(world.run(within: .seconds(10)) { $0.owns(.app) && $0.deliveries == [1: 1] })
    #expect(world.faults == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func pressingHomeGivesTheNodeToAWaitingExtension(seed: UInt64) {
    var world = TwoProcessWorld(seed: seed)
    open(&world)
    #expect(world.run(within: .seconds(2)) { $0.owns(.app) })
    world.send(.enteredBackground, to: .app)
    world.pay(1)
    #expect(world.run(within: .seconds(2)) { $0.received == [paymentHash(of: 1)] })
    #expect(world.run(within: .seconds(10)) { $0.deliveries == [1: 1] })
    #expect(world.releases == 1)
    #expect(world.faults == [])
  }

  /// First every fault, then none: nothing forbidden happens, and in the end the app has everything.
  @Test func chaosBreaksNothingAndEndsInPeace() {
    for seed in 0..<1500 as Range<UInt64> {
      var world = TwoProcessWorld(seed: seed)
      var fate = SeededGenerator(seed: ~seed)
      world.lossPercent = fate.pick([0, 20, 100])
      let mayFreeze = fate.chance(60)
      for round in 1...15 as ClosedRange<UInt64> {
        strike(&world, &fate, round, mayFreeze)
        world.run(for: .milliseconds(Int64(fate.pick([1, 10, 60, 150, 400, 3000, 8000]))))
      }
      for role in Role.allCases { world.thaw(role) }
      world.lossPercent = 0
      open(&world)
      let isPeaceful = world.run(within: .seconds(60)) { $0.owns(.app) && $0.unpaid.isEmpty }
      #expect(isPeaceful, "seed \(seed): \(world.processes.map(\.role)) \(world.unpaid)")
      #expect(world.faults == [], "seed \(seed)")
      if !isPeaceful || !world.faults.isEmpty { return }
    }
  }

  private func strike(
    _ world: inout TwoProcessWorld, _ fate: inout SeededGenerator, _ round: UInt64, _ mayFreeze: Bool
  ) {
    switch fate.below(mayFreeze ? 9 : 6) {
    case 0: world.pay(round)
    case 1: open(&world)
    case 2: world.send(.enteredBackground, to: .app)
    case 3: world.kill(.app)
    case 4: world.kill(.extension)
    case 5: world.pay(round)
    case 6: world.freeze(fate.pick(Role.allCases))
    default: for role in Role.allCases { world.thaw(role) }
    }
  }
}
