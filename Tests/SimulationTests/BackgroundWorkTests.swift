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
    world.isHeard = true
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

  @Test("Nobody else's world knows of it: without habits nothing is asked for") func none() {
    var world = World()
    world.make(.open)
    rest(&world)
    #expect(world.phone.tasks.pending.isEmpty)
  }
}
