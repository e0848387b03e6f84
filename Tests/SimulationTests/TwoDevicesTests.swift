import Guardrails
import LightningProvider
import Museum
import Wallet

@testable import Simulation

/// One wallet on two devices with the same seed.
@Suite("Two devices in the simulation") struct TwoDevicesTests {
  /// The app of the first device is connected; the wallet has an invoice.
  private func connected(isRecorded: Bool = false, reusesNumbers: Bool = false) -> World {
    var settings = WorldSettings()
    settings.reusesNumbers = reusesNumbers
    var world = World(settings: settings)
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
      expect(world.device, is: device)
      world.settle(until: { $0.isSettled })
      expect(world.seenFromOther.map(status), is: .usedByAnotherDevice)
    }
  }

  /// Another invoice is paid, so that the peer's backup has the open one. Then that one is paid, up to the app's first
  /// write.
  private func frozenInAStep() -> World {
    var world = connected()
    world.make(.invoice)
    world.settle(until: { $0.unpaidInvoices == [0, 1] })
    world.make(.pay(1))
    world.settle(until: { $0.payments[0].state == .paid && $0.isSettled })
    world.make(.pay(0))
    while world.payments[1].state == .underWay, !world.isAboutToWrite(.app) { world.settleOnce() }
    expect(world.payments[1].state, is: .underWay)
    world.make(.freeze(.app))
    return world
  }

  @Test func `An owner frozen before the move thaws after it: the peer takes nothing from it`() {
    var world = frozenInAStep()
    move(&world)
    world.settle(until: { $0.isSettled && $0.payments[1].state == .paid })
    expect(world.payments[1].state, is: .paid)
    let channel = world.peer.value.state.channel.record
    let fence = world.peer.value.state.fence
    world.make(.onOther(.thaw(.app)))
    world.settle(until: { $0.seenFromOther.map(self.status) == .usedByAnotherDevice })
    expect(world.seenFromOther.map(status), is: .usedByAnotherDevice)
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
    let delivered = world.takeSaid().flatMap(\.delivered).map(\.outcome)
    expect(delivered, is: [.usedByAnotherDevice], "the first device's extension")
    world.checkAtTheEnd()
    #expect(world.violation == nil)
  }

  // MARK: The checks

  /// An app that asks itself.
  private func moveUnasked(_ world: inout World) {
    world.lives.app?.value.inbox.append(.requests(.asked("unasked", .move)))
    world.settle(until: { $0.appRuns(isSettling: false) || $0.violation != nil })
  }

  @Test func `An app that moves the wallet although the user has not asked breaks an invariant`() {
    var world = connected()
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    moveUnasked(&world)
    expect(world.violation?.invariant, is: .movedByUser)
  }

  @Test func `A request to move counts only until the app refuses it`() {
    var world = connected()
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    world.make(.askToMove)
    world.make(.home)
    #expect(world.moving.isAsked(at: world.now))
    world.settle(until: { !$0.moving.isAsked(at: $0.now) })
    #expect(world.isServedElsewhere && world.moving.request == nil)
    world.make(.open)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    #expect(world.violation == nil)
    moveUnasked(&world)
    expect(world.violation?.invariant, is: .movedByUser)
  }

  @Test func `A request to move that the app has heard counts for 10 s, and not after the app's end`() {
    var world = connected()
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    world.make(.askToMove)
    world.settle(until: { $0.moving.endsAt != nil })
    var killed = world
    killed.make(.kill(.app))
    #expect(!killed.moving.isAsked(at: killed.now))
    let inTime: Instant = world.now + .seconds(9)
    let late: Instant = world.now + .seconds(10)
    #expect(world.moving.isAsked(at: inTime) && !world.moving.isAsked(at: late))
  }

  @Test func `In an exploration the refusal of an older request does not end a newer one`() {
    var world = connected(reusesNumbers: true)
    world.make(.takeOtherDevice)
    world.settle(until: { $0.lives.app?.value.claim != nil })
    world.make(.askToMove)
    world.settle(until: { $0.moving.endsAt != nil })
    world.make(.freeze(.app))
    let late: Instant = world.now + .seconds(10)
    world.settle(until: { $0.now >= late })
    world.make(.askToMove)
    world.make(.thaw(.app))
    world.settle(until: { $0.violation != nil || $0.appRuns(isSettling: false) })
    #expect(world.violation == nil && !world.isServedElsewhere)
  }

  @Test
  func `A text that names another device although the wallet is here since the push breaks an invariant`()
    throws
  {
    var world = connected()
    world.make(.takeOtherDevice)
    world.make(.takeOtherDevice)
    world.make(.quit)
    world.settle(until: { $0.lives.app == nil && $0.wires.all.isEmpty })
    world.make(.pay(0))
    world.settle(until: { $0.lives.notifier != nil })
    let push = try #require(world.pushes.last?.id)
    let life = try #require(world.lives.notifier?.value)
    var left = world
    left.pushing.noteServedElsewhere()
    left.checkText(of: push, .usedByAnotherDevice, life)
    #expect(left.violation == nil)
    world.checkText(of: push, .usedByAnotherDevice, life)
    expect(world.violation?.invariant, is: .textIsTrue)
  }

  @Test func `A payment made before the wallet moves is checked after it too`() {
    var world = connected()
    world.make(.send(0, isKnown: true))
    world.settle(until: { $0.sends[0].hasArrived && $0.isSettled })
    expect(world.container.value.past[world.sends[0].invoice.paymentHash], is: .paid)
    move(&world)
    world.settle(until: { $0.isSettled })
    world.checkAtTheEnd()
    #expect(world.violation == nil)
    world.container.value.past = PastPayments()
    world.onOtherDevice { $0.container.value.past = PastPayments() }
    #expect(!world.sends[0].isForgotten)
    world.checkAtTheEnd()
    expect(world.violation?.invariant, is: .sentOnce)
  }

  @Test func `A message of the device left behind that changes the peer's channel breaks an invariant`() {
    var world = connected()
    world.make(.takeOtherDevice)
    // As if the peer served the second device, and had left the first one's connection open.
    world.fenced = world.container.value.id
    world.make(.pay(0))
    world.settle(until: { $0.violation != nil || $0.payments[0].state != .underWay })
    expect(world.violation?.invariant, is: .oneDriver)
  }

  @Test func `A message of the device left behind may change neither the peer's channel nor its backup`()
    throws
  {
    var world = connected()
    let first = world.peer.value.state
    world.make(.pay(0))
    world.settle(until: { $0.isSettled && $0.payments[0].state == .paid })
    world.make(.takeOtherDevice)
    world.fenced = world.container.value.id
    let wire = try #require(world.wires.all.first)
    func isViolation(_ change: (inout PeerState) -> Void) -> Bool {
      var (world, state) = (world, world.peer.value.state)
      change(&state)
      let before = PeerMachine.Configuration(
        rules: world.settings.rules, startedAt: world.peerNow, state: state)
      world.checkLeft(wire, since: PeerMachine(configuration: before))
      return world.violation?.invariant == .oneDriver
    }
    #expect(!isViolation { _ in })
    #expect(isViolation { $0.channel = first.channel })
    #expect(isViolation { $0.backup = first.backup })
  }

  // MARK: Coming back

  @Test
  func `A device that thaws in the middle of a step and then gets the wallet back goes on with the backup`() {
    var world = frozenInAStep()
    move(&world)
    world.settle(until: { $0.isSettled && $0.payments[1].state == .paid })
    world.make(.onOther(.thaw(.app)))
    world.settle(until: { $0.seenFromOther.map(self.status) == .usedByAnotherDevice })
    move(&world)
    world.make(.invoice)
    world.settle(until: { !$0.unpaidInvoices.isEmpty })
    world.make(.pay(2))
    world.settle(until: { $0.isSettled && $0.payments[2].state == .paid })
    world.checkAtTheEnd()
    #expect(world.violation == nil)
    #expect(world.device == 0 && world.isSettled)
    expect(world.payments.map(\.state), is: [.paid, .paid, .paid])
  }

  // MARK: Time and figures

  @Test func `While the device in hand sleeps, the other one runs to its next deadline`() {
    var world = connected()
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    var moves: [Move] = []
    repeat {
      moves = []
      world.ready(into: &moves)
      if let move = moves.first { world.make(move) }
    } while !moves.isEmpty
    let (mine, its, peers) = (world.now, world.otherDevice?.value.clock.now ?? .zero, world.peerNow)
    world.make(.deviceSleeps(.milliseconds(1)))
    let peersSoon: Instant = peers + .milliseconds(1)
    #expect(world.now == mine && world.peerNow == peersSoon)
    let soon: Instant = its + .milliseconds(1)
    expect(world.otherDevice?.value.clock.now, is: soon)
    world.make(.deviceSleeps(.seconds(3600)))
    let later: Instant = world.otherDevice?.value.clock.now ?? .zero
    let muchLater: Instant = its + .seconds(60)
    #expect(soon < later && later < muchLater, "to its next beat or ping")
  }

  @Test func `The instant of a payment's request is the peer's, which both devices share`() {
    var world = connected()
    world.make(.deviceSleeps(.seconds(60)))
    world.make(.send(0, isKnown: true))
    #expect(world.sends[0].askedAt == world.peerNow && world.now < world.peerNow)
  }

  @Test func `The figures of a run count both devices`() throws {
    let seed = try #require(
      (1...30 as ClosedRange<UInt64>).first { Agenda(RunSettings(seed: $0)).hasTwoDevices })
    var run = SeedRun(RunSettings(seed: seed))
    var last: World?
    let result = run.run { last = $0 }
    let world = try #require(last)
    let other = try #require(world.seenFromOther)
    #expect(!world.pushes.isEmpty && !other.pushes.isEmpty)
    expect(result.pushes, is: world.pushes.count + other.pushes.count)
    expect(result.connecting.count, is: world.connecting.count + other.connecting.count)
    let mine: Int = world.storage.occurred.value.reduce(0, +)
    let its: Int = other.storage.occurred.value.reduce(0, +)
    let total: Int = result.storageFaults.reduce(0, +)
    expect(total, is: mine + its)
  }

  // MARK: Where there is only one

  @Test func `With a legacy peer, a removed fence or another coordination there is no second device`() {
    var settings = [WorldSettings(), WorldSettings(), WorldSettings()]
    settings[0].peerIsLegacy = true
    settings[1].without = Rules([.peerFencing])
    settings[2].coordination = .phoenix
    for settings in settings {
      var world = World(settings: settings)
      world.make(.takeOtherDevice)
      #expect(!world.isOtherDeviceThere)
    }
  }

  // MARK: Exploring

  @Test func `The explorer thaws a process of the other device also between two deadlines`() {
    var world = connected()
    world.make(.freeze(.app))
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    world.make(.home)
    // Until the device in hand waits.
    for _ in 0..<200 where timesToPass(world).isEmpty { world.settleOnce() }
    expect(timesToPass(world).count, is: 2)
    world.make(.onOther(.thaw(.app)))
    world.settle(until: { $0.seenFromOther.map(self.status) == .usedByAnotherDevice })
    for _ in 0..<200 where timesToPass(world).isEmpty { world.settleOnce() }
    expect(timesToPass(world).count, is: 1)
  }

  private func timesToPass(_ world: World) -> [Move] {
    var moves: [Move] = []
    Place(world: world, left: Bounds()).moves(into: &moves)
    return moves.filter { if case .timePasses = $0 { true } else { false } }
  }

  @Test func `The explorer brings back the network of the other device, and reads its late messages`() {
    var world = connected()
    world.make(.network(isThere: false))
    world.make(.takeOtherDevice)
    world.settle(until: { self.status($0) == .usedByAnotherDevice })
    world.onOtherDevice { $0.presenceQueue = [QueuedPresence(to: .app, event: .partnerEnded, isLate: true)] }
    var moves: [Move] = []
    for _ in 0..<200 where !moves.contains(.onOther(.readPresence(0))) {
      world.settleOnce()
      Place(world: world, left: Bounds()).moves(into: &moves)
    }
    #expect(moves.contains(.onOther(.network(isThere: true))) && moves.contains(.onOther(.readPresence(0))))
  }

  @Test func `In runs of seeds with two devices the wallet moves both ways, and no invariant breaks`() {
    var served: Set<ContainerID> = []
    var moves = 0
    for seed in 1...30 as ClosedRange<UInt64> {
      let settings = RunSettings(seed: seed)
      guard Agenda(settings).hasTwoDevices else { continue }
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

/// A peer that stores backups late, and is restarted before it has stored the newest one.
@Suite("A backup lost with a restart of the peer") struct LostBackupTests {
  /// The extension has received a payment since the copy; the newest backup waits at the peer.
  private func paid(storageDelay: TimeSpan) -> World {
    var settings = ExploreSettings()
    settings.bounds = Bounds([.pushes: 1])
    settings.world.storageDelay = storageDelay
    var world = settings.startWorld()
    world.make(.copyDatabase)
    world.make(.pay(0))
    world.settle(until: { $0.payments[0].state == .paid && $0.peer.value.state.payments.isEmpty })
    return world
  }

  @Test func `Nothing is reported if a restart of the peer has lost the newest backup of an old copy`() {
    var world = paid(storageDelay: .seconds(60))
    #expect(world.peer.value.waitingBackup != nil)
    world.make(.restartPeer)
    #expect(!world.isStateLost, "the database is the newest")
    world.make(.restoreCopy)
    #expect(world.isStateLost)
    var healing = Healing(world, userStaysAway: false)
    #expect(healing.run(isKnown: { _ in false }) == nil)
    #expect(healing.hasFailed && healing.world.violation == nil)
    world.reportNotReceived("In 120 s without the user")
    #expect(world.violation == nil)
  }

  @Test func `A later backup ends the loss`() {
    var world = paid(storageDelay: .seconds(60))
    world.make(.restartPeer)
    #expect(world.hasLostBackup)
    world.make(.open)
    world.settle(until: { $0.isSettled })
    #expect(!world.hasLostBackup)
  }

  @Test
  func `If the peer has no backup of the newest state without a restart, the wallet's stop is reported`() {
    var world = paid(storageDelay: .zero)
    // As if the wallet had not sent it.
    var state = world.peer.value.state
    state.backup = nil
    world.wires.endAllForPeer()
    world.peer = Boxed(
      PeerMachine(configuration: .init(rules: world.settings.rules, startedAt: world.peerNow, state: state)))
    world.make(.restoreCopy)
    var healing = Healing(world, userStaysAway: false)
    #expect(healing.run(isKnown: { _ in false }) == nil)
    expect(healing.world.violation?.invariant, is: .progress)
  }

  @Test func `A lost state does not count as one from which the wallet recovers`() {
    var explorer = Explorer(ExploreSettings())
    explorer.take([Explorer.Expansion(parent: 0, healed: [], isLost: true)])
    #expect(explorer.lost == 1 && explorer.healed == 0)
    explorer.take([Explorer.Expansion(parent: 0, healed: [])])
    #expect(explorer.lost == 1 && explorer.healed == 1)
  }
}
