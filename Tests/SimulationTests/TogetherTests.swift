import Heartbeat
import PhonePolicy
import SimulationSupport
import Wallet

@testable import Simulation

/// App and extension in many interleavings: the wanted process gets the node in time, and no payment or text is lost or
/// doubled.
@Suite("App and extension together") struct TogetherTests {
  static let numbers = 0..<20 as Range<UInt64>

  /// A payment for a wallet whose app is in the background, with the extension in the awaited state.
  private func pushed(
    _ number: UInt64, afterContent: AfterContent = .suspend,
    until isReached: (World) -> Bool = { $0.isConnected(.extension) }
  ) -> Story {
    var story = Story.withAppBehind(number, afterContent: afterContent)
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(2)) { isReached($0) })
    return story
  }

  /// An app in the foreground whose connection `end` ends. Pushes go to the extension.
  private func withoutWire(_ number: UInt64, _ end: (inout World) -> Void) -> Story {
    var story = Story.withInvoice(number, foregroundPushes: .extension)
    end(&story.world)
    #expect(story.waits(.seconds(1)) { $0.openWire == nil })
    return story
  }

  @Test(arguments: numbers)
  func `A connected extension hands over within 2 s and has delivered its text by then`(number: UInt64) {
    var story = pushed(number)
    story.world.make(.open)
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    expect(story.world.pushes.map(\.shown), is: [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `An extension that is not connected releases the node to the app within 2 s`(number: UInt64) {
    var story = pushed(number, until: \.isDialling)
    story.world.make(.open)
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce && $0.pushes.map(\.shown) == [1] })
  }

  @Test(arguments: numbers)
  func `An app that dies before its claim leaves the payment to the extension`(number: UInt64) {
    var story = pushed(number, until: \.isDialling)
    story.world.make(.open)
    #expect(story.waits(.seconds(1)) { $0.life(.extension)?.claim == nil })
    #expect(story.world.life(.app)?.claim == nil)
    story.world.make(.kill(.app))
    #expect(story.waits(.seconds(3)) { $0.isReceivedOnce })
    #expect(story.waits(.seconds(30)) { $0.pushes.map(\.shown) == [1] })
    expect(story.world.container.value.row?.role, is: .extension)
  }

  @Test(arguments: numbers)
  func `With all presence messages lost the extension sees the intent lock and hands over`(number: UInt64) {
    var story = pushed(number)
    story.losesLetters = true
    story.world.make(.open)
    #expect(story.waits(.seconds(5)) { $0.owns(.app) })
    expect(story.world.pushes.map(\.shown), is: [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers) func `The extension takes over from a killed app within 1 s`(number: UInt64) {
    var story = withoutWire(number) { $0.make(.kill(.app)) }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(1)) { $0.owns(.extension) })
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `A frozen extension is replaced after 5 s, and ends fenced when thawed`(number: UInt64) {
    var story = pushed(number, afterContent: .run)
    story.world.make(.freeze(.extension))
    story.world.make(.open)
    #expect(!story.waits(.milliseconds(4_900)) { $0.owns(.app) }, "not before 5 s without a beat")
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    story.world.make(.thaw(.extension))
    #expect(story.waits(.seconds(5)) { $0.life(.extension) == nil }, "fenced, and ended")
    #expect(story.world.owns(.app))
    expect(story.world.pushes.map(\.shown), is: [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `A fenced extension that is suspended after its content ends at the next push, which is served`(
    number: UInt64
  ) {
    var story = pushed(number)
    story.world.make(.freeze(.extension))
    story.world.make(.open)
    #expect(story.waits(.seconds(7)) { $0.owns(.app) })
    story.world.make(.thaw(.extension))
    #expect(story.waits(.seconds(2)) { $0.pushes.map(\.shown) == [1] })
    let fenced = story.world.life(.extension)?.identity
    story.world.make(.invoice)
    #expect(story.waits(.seconds(5)) { $0.unpaidInvoices.count == 1 })
    story.quits()
    story.world.make(.pay(1))
    #expect(story.waits(.seconds(12)) { $0.pushes.map(\.shown) == [1, 1] })
    #expect(story.world.payments.allSatisfy { $0.state == .paid })
    #expect(story.world.life(.extension)?.identity != fenced)
  }

  @Test(arguments: numbers)
  func `A frozen app loses no payment, and gets the node back when thawed`(number: UInt64) {
    // Without the cut the LSP would wait for the app until its ping times out.
    var story = withoutWire(number) { world in
      world.make(.freeze(.app))
      world.cutAll()
    }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(7)) { $0.isReceivedOnce })
    expect(story.world.container.value.row?.role, is: .extension)
    story.world.make(.thaw(.app))
    #expect(story.waits(.seconds(10)) { $0.owns(.app) && $0.pushes.map(\.shown) == [1] })
  }

  @Test(arguments: numbers) func `Going home gives the node to a waiting extension`(number: UInt64) {
    var story = withoutWire(number) { $0.cutAll() }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(1)) { $0.isExtensionWaiting })
    story.world.make(.home)
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce && $0.phone.isAppIdle })
    #expect(story.waits(.seconds(10)) { $0.pushes.map(\.shown) == [1] })
  }
}

extension World {
  fileprivate func owns(_ role: Role) -> Bool {
    isConnected(role) && container.value.isOwned(by: life(role)?.claim)
  }

  fileprivate var isReceivedOnce: Bool { isPaid && container.value.received.count == 1 }

  /// The extension's node runs and is not connected.
  fileprivate var isDialling: Bool { life(.extension)?.claim != nil && !isConnected(.extension) }

  fileprivate var isExtensionWaiting: Bool {
    if case .waitingForOther = life(.extension)?.status { true } else { false }
  }

  fileprivate mutating func cutAll() { while let wire = openWire { make(.cut(wire: wire)) } }
}

@Suite("Background tasks of the simulated app") struct BackgroundWorkTests {
  private static let refresh = "com.example.lightning.sync"

  /// A debug build, where a task can be launched by hand.
  private func world() -> World {
    var settings = WorldSettings()
    settings.background = BackgroundWork.Habits()
    settings.phone.enforcesLimits = false
    settings.phone.limitsBackground = false
    var world = World(settings: settings)
    world.make(.open)
    rest(&world)
    world.make(.home)
    rest(&world)
    return world
  }

  /// Runs all that is ready until the time is over.
  private func rest(_ world: inout World, for span: TimeSpan = .milliseconds(100)) {
    let end = world.now + span
    var moves: [Move] = []
    while world.now < end {
      moves.removeAll()
      world.ready(into: &moves)
      world.make(moves.first ?? .timePasses(until: min(world.nextInstant ?? end, end)))
    }
  }

  private func fates(_ world: inout World, _ body: (inout World) -> Void) -> [TaskRecord.Fate] {
    world.isRecorded = true
    body(&world)
    return world.takeSaid().flatMap { said -> [PhoneDirective] in
      if case .core(.phone(_, let directives)) = said { directives } else { [] }
    }.compactMap { if case .recordTask(let record) = $0 { record.fate } else { nil } }
  }

  @Test func `The app submits a task again before it completes a run launched by hand`() {
    var world = world()
    let fates = fates(&world) {
      $0.hear(.task(.launchedByHand(identifier: Self.refresh)))
      rest(&$0)
    }
    expect(fates, is: [.runs(isByHand: true), .waits(.tooEarly), .completed(isSuccess: true)])
  }

  @Test func `During another process's transaction a task retries, and fails before its time ends`() {
    var world = world()
    world.container.value.writer = 99
    let begun = fates(&world) {
      $0.hear(.task(.launchedByHand(identifier: Self.refresh)))
      rest(&$0, for: .seconds(24))
    }
    expect(begun, is: [.runs(isByHand: true), .waits(.tooEarly)])
    expect(fates(&world) { rest(&$0, for: .seconds(2)) }, is: [.completed(isSuccess: false)])
    let later = fates(&world) {
      $0.hear(.task(.launchedByHand(identifier: Self.refresh)))
      rest(&$0, for: .seconds(3))
      $0.container.value.writer = nil
      rest(&$0, for: .seconds(1))
    }
    expect(later.last, is: .completed(isSuccess: true))
  }

  @Test func `A task that expires is completed as failed; while the app is frozen it expires uncompleted`() {
    var world = world()
    world.container.value.writer = 99
    let ended = fates(&world) {
      $0.hear(.task(.launchedByHand(identifier: Self.refresh)))
      rest(&$0)
      $0.hear(.task(.expiredByHand(identifier: Self.refresh)))
      rest(&$0)
    }
    expect(ended.suffix(2), is: [.expires(.byHand), .completed(isSuccess: false)])
    world.make(.freeze(.app))
    let late = fates(&world) {
      $0.hear(.task(.launchedByHand(identifier: Self.refresh)))
      $0.hear(.task(.expiredByHand(identifier: Self.refresh)))
      rest(&$0, for: .seconds(5))
      $0.make(.thaw(.app))
      rest(&$0)
    }
    #expect(late.contains(.expired(.byHand)))
    #expect(!late.contains(.completed(isSuccess: true)))
  }

  /// A phone in use, with four hours in half a minute.
  private func worldWithRefresh() -> World {
    var settings = WorldSettings()
    settings.background = BackgroundWork.Habits()
    settings.phone.tasks.timeScale = 480
    var world = World(settings: settings)
    world.make(.open)
    rest(&world)
    world.make(.home)
    return world
  }

  @Test func `A background task that is completed twice is a violation`() {
    var world = worldWithRefresh()
    rest(&world, for: .seconds(60))
    #expect(world.tasksCompleted > 0)
    #expect(world.violation == nil)
    world.lives.app?.value.orders.append(.phone(.complete(.refresh, run: 1, isSuccess: true, "again")))
    world.make(.thaw(.app))
    world.lives.app?.value.isSuspended = false
    rest(&world)
    expect(world.violation?.invariant, is: .tasksAreCompleted)
  }

  @Test func `A blocked background task is completed in time; one that the app forgets is a violation`() {
    var world = worldWithRefresh()
    world.container.value.writer = 99
    while world.lives.app?.value.taskRuns.isEmpty == true, world.now < .zero + .seconds(120) {
      rest(&world, for: .seconds(1))
    }
    var blocked = world
    rest(&blocked, for: .seconds(29))
    expect(blocked.tasksCompleted, is: 1)
    #expect(blocked.violation == nil)
    let guardrail = WorldGuard(role: .app, settings: world.settings)
    world.lives.app?.value.wallet = WalletMachine(guardrail: guardrail, node: .init(), background: nil)
    rest(&world, for: .seconds(31))
    expect(world.violation?.invariant, is: .tasksAreCompleted)
  }

  @Test func `Of 8 seeds some complete no background task, and all together more than 20`() {
    var completed: [Int] = []
    for seed in 1...8 as ClosedRange<UInt64> {
      var run = SeedRun(RunSettings(seed: seed))
      #expect(run.run().violation == nil)
      completed.append(run.world.tasksCompleted)
    }
    #expect(completed.contains(0))
    #expect(completed.reduce(0, +) > 20)
  }

  @Test func `An app configured without background tasks submits none`() {
    var world = World()
    world.make(.open)
    rest(&world)
    #expect(world.phone.tasks.pending.isEmpty)
  }
}

extension World {
  /// The app was opened, made an invoice and was swiped away: the extension receives its payment.
  static func withAClosedApp(_ settings: WorldSettings = WorldSettings()) throws -> World {
    var world = World(settings: settings)
    world.make(.open)
    world.live(for: .seconds(5))
    world.make(.invoice)
    world.live(for: .seconds(1))
    world.make(.quit)
    world.live(for: .seconds(5))
    try #require(world.life(.app) == nil && world.unpaidInvoices == [0])
    return world
  }

  /// Steps until the span is over.
  mutating func live(for span: TimeSpan) {
    let end = peerNow + span
    while peerNow < end { step(until: end) }
  }

  /// Makes the first ready move, or lets time pass.
  mutating func step(until end: Instant) {
    var moves: [Move] = []
    ready(into: &moves)
    let left = now + (end - peerNow)
    make(moves.first ?? .timePasses(until: min(nextInstant ?? left, left)))
  }
}
