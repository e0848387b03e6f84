import Ground
import Guardrails
import Testing

@testable import Simulation

/// One wallet on two devices with the same seed.
@Suite("Two devices in the simulation") struct TwoDevicesTests {
  /// The app of the first device is connected; the wallet has an invoice.
  private func connected(isRecorded: Bool = false) -> World {
    var world = World()
    world.isRecorded = isRecorded
    world.make(.open)
    world.settle(until: { $0.isSettled })
    world.make(.invoice)
    world.settle(until: { !$0.unpaidInvoices.isEmpty })
    return world
  }

  private func status(_ world: World) -> Status? { world.lives.app?.value.status }

  /// The user opens the app on the other device and moves the wallet there.
  private func move(_ world: inout World) {
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    #expect(world.isServedElsewhere)
    world.make(.askToMove)
    world.settle(until: { $0.appRuns(isSettling: false) })
    #expect(world.appRuns(isSettling: false) && !world.isServedElsewhere && world.violation == nil)
  }

  @Test func `The user moves the wallet to another device and back, and the device left behind shows it`() {
    var world = connected()
    for device: UInt8 in [1, 0, 1] {
      move(&world)
      #expect(world.device == device)
      world.settle(until: { $0.isSettled })
      #expect(world.seenFromOther.map(status) == .usedByAnotherDevice)
    }
  }

  @Test func `An owner frozen before the move thaws after it: the peer takes nothing from it`() {
    var world = connected()
    world.make(.pay(0))
    // In the middle of the payment, with a step to write.
    while world.payments[0].state == .underWay, !world.isAboutToWrite(.app) { world.settleOnce() }
    #expect(world.payments[0].state == .underWay)
    world.make(.freeze(.app))
    move(&world)
    world.settle(until: { $0.payments[0].state == .paid && $0.peer.value.state.channel.htlcs.isEmpty })
    let channel = world.peer.value.state.channel.record
    let fence = world.peer.value.state.fence
    world.make(.onOther(.thaw(.app)))
    world.settle(until: { $0.seenFromOther.map(self.status) == .usedByAnotherDevice })
    #expect(world.seenFromOther.map(status) == .usedByAnotherDevice)
    #expect(world.violation == nil)
    #expect(world.peer.value.state.channel.record == channel && world.peer.value.state.fence == fence)
  }

  @Test func `A push on the device left behind says that the wallet is used on another device`() {
    var world = connected(isRecorded: true)
    world.make(.home)
    world.settle(until: { $0.lives.app?.value.claim == nil })
    move(&world)
    world.make(.quit)
    world.settle(until: { $0.lives.app == nil && $0.wires.all.isEmpty })
    _ = world.takeSaid()
    world.make(.pay(0))
    world.settle(until: { $0.payments[0].state == .paid })
    world.settle(until: { _ in false })
    let delivered = world.takeSaid().compactMap { said -> PushOutcome? in
      guard case .ordered(.extension, .deliver(_, let outcome)) = said else { return nil }
      return outcome
    }
    #expect(delivered == [.usedByAnotherDevice], "the first device's extension")
    world.checkAtTheEnd()
    #expect(world.violation == nil)
  }

  // MARK: The checks

  @Test func `A peer that accepts another device without the user's request breaks an invariant`() {
    var world = connected()
    world.make(.takeOtherDevice)
    world.noteFence(of: world.container.value.id)
    #expect(world.violation?.invariant == .movedByUser)
  }

  @Test func `A message of the device left behind that changes the peer's channel breaks an invariant`() {
    var world = connected()
    world.make(.takeOtherDevice)
    // As if the peer served the second device, and had left the first one's connection open.
    world.fenced = world.container.value.id
    world.make(.pay(0))
    world.settle(until: { $0.violation != nil || $0.payments[0].state != .underWay })
    #expect(world.violation?.invariant == .oneDriver)
  }

  @Test func `In runs of seeds with two devices the wallet moves both ways, and no invariant breaks`() {
    var served: Set<ContainerID> = []
    var moves = 0
    for seed in 1...30 as ClosedRange<UInt64> {
      let settings = RunSettings(seed: seed)
      guard Agenda(seed: seed, length: settings.length).hasTwoDevices else { continue }
      var run = SeedRun(settings)
      var last: ContainerID?
      let result = run.run { world in
        guard let fenced = world.fenced, fenced != last else { return }
        if last != nil {
          moves += 1
          served.insert(fenced)
        }
        last = fenced
      }
      #expect(result.violation == nil, "baton replay --seed \(seed)")
    }
    #expect(served.count == 2 && moves > 10)
  }
}

extension World {
  /// One move, or the time to the next.
  fileprivate mutating func settleOnce() {
    var hasMoved = false
    settle(until: { _ in
      defer { hasMoved = true }
      return hasMoved
    })
  }
}
