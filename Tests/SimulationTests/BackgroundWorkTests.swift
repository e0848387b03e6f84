import Ground
import Heartbeat
import PhonePolicy
import Testing
import Wallet

@testable import Simulation

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
      if case .phone(_, let directives) = said { directives } else { [] }
    }.compactMap { if case .recordTask(let record) = $0 { record.fate } else { nil } }
  }

  @Test func `The app submits a task again before it completes a run launched by hand`() {
    var world = world()
    let fates = fates(&world) {
      $0.launchTask(Self.refresh)
      rest(&$0)
    }
    #expect(fates == [.runs(isByHand: true), .waits(.tooEarly), .completed(isSuccess: true)])
  }

  @Test
  func `During another process's transaction a task retries, and fails before its time ends`() {
    var world = world()
    world.container.value.writer = 99
    let begun = fates(&world) {
      $0.launchTask(Self.refresh)
      rest(&$0, for: .seconds(24))
    }
    #expect(begun == [.runs(isByHand: true), .waits(.tooEarly)])
    #expect(fates(&world) { rest(&$0, for: .seconds(2)) } == [.completed(isSuccess: false)])
    let later = fates(&world) {
      $0.launchTask(Self.refresh)
      rest(&$0, for: .seconds(3))
      $0.container.value.writer = nil
      rest(&$0, for: .seconds(1))
    }
    #expect(later.last == .completed(isSuccess: true))
  }

  @Test func `A task that expires is completed as failed; while the app is frozen it expires uncompleted`() {
    var world = world()
    world.container.value.writer = 99
    let ended = fates(&world) {
      $0.launchTask(Self.refresh)
      rest(&$0)
      $0.expireTask(Self.refresh)
      rest(&$0)
    }
    #expect(ended.suffix(2) == [.expires(.byHand), .completed(isSuccess: false)])
    world.make(.freeze(.app))
    let late = fates(&world) {
      $0.launchTask(Self.refresh)
      $0.expireTask(Self.refresh)
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
    #expect(world.violation?.invariant == .tasksAreCompleted)
  }

  @Test
  func `A blocked background task is completed in time; one that the app forgets is a violation`() {
    var world = worldWithRefresh()
    world.container.value.writer = 99
    while world.lives.app?.value.taskRuns.isEmpty == true, world.now < .zero + .seconds(120) {
      rest(&world, for: .seconds(1))
    }
    var blocked = world
    rest(&blocked, for: .seconds(29))
    #expect(blocked.tasksCompleted == 1)
    #expect(blocked.violation == nil)
    let guardrail = WorldGuard(role: .app, settings: world.settings)
    world.lives.app?.value.wallet = WalletMachine(guardrail: guardrail, node: .init(), background: nil)
    rest(&world, for: .seconds(31))
    #expect(world.violation?.invariant == .tasksAreCompleted)
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
