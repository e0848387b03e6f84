import Ground
import Heartbeat
import PhonePolicy
import Testing
import Wallet

@testable import Simulation

@Suite("What the app of the simulated world does in the background") struct BackgroundWorkTests {
  private static let refresh = "com.example.lightning.sync"

  /// A debug build, as only there a task can be run by hand.
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

  /// Until nobody has anything to do.
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

  @Test("A run by hand is completed, and the next one is asked for before") func byHand() {
    var world = world()
    let fates = fates(&world) {
      $0.launchTask(Self.refresh)
      rest(&$0)
    }
    #expect(fates == [.runs(isByHand: true), .waits(.tooEarly), .completed(isSuccess: true)])
  }

  @Test("While somebody is stopped inside a transaction it looks again, and gives up before its time is over")
  func blocked() {
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

  @Test("One that is told to end says that it is not done; one that is frozen says it too late") func expiry()
  {
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

  /// As a phone in use has it, with four hours in half a minute.
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

  @Test("A run that is completed again is found") func completedAgain() {
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

  @Test("A run that is blocked to the end is completed in time; one that the app has forgotten is found")
  func forgotten() {
    var world = worldWithRefresh()
    world.container.value.writer = 99
    while world.lives.app?.value.taskRuns.isEmpty == true, world.now < .zero + .seconds(120) {
      rest(&world, for: .seconds(1))
    }
    var blocked = world
    rest(&blocked, for: .seconds(29))
    #expect(blocked.tasksCompleted == 1)
    #expect(blocked.violation == nil)
    world.lives.app?.value.wallet = WalletMachine(
      guardrail: WorldGuard(role: .app, settings: world.settings), node: .init(), background: nil)
    rest(&world, for: .seconds(31))
    #expect(world.violation?.invariant == .tasksAreCompleted)
  }

  @Test("Half of the runs have them, and in those the app completes many") func runsOfSeeds() {
    var completed: [Int] = []
    for seed in 1...8 as ClosedRange<UInt64> {
      var run = SeedRun(RunSettings(seed: seed))
      #expect(run.run().violation == nil)
      completed.append(run.world.tasksCompleted)
    }
    #expect(completed.contains(0))
    #expect(completed.reduce(0, +) > 20)
  }

  @Test("Nobody else's world knows of it: without habits nothing is asked for") func none() {
    var world = World()
    world.make(.open)
    rest(&world)
    #expect(world.phone.tasks.pending.isEmpty)
  }
}
