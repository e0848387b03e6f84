import Coordinator
import Glibc
import Ground
import Guardrails
import Heartbeat
import SharedContainer
import TestKit

@Suite("A guard's container port") struct GuardContainerTests {
  private let place = Place()
  private let own = ProcessIdentity(pid: 1, startTime: 2, boot: BootID(high: 1, low: 2))

  /// Collects the notes of a closure.
  private final class Notes { var all: [String] = [] }

  private func container(_ role: Role, _ notes: Notes = Notes()) throws -> GuardContainer<Int64> {
    GuardContainer(
      try place.open(role), process: own,
      clock: ContainerClock(bootClock: { [place] in place.now }, wallNanoseconds: { 5 }),
      note: { notes.all.append($0) }
    ) { try $0.firstRow("SELECT count(*) FROM payments")?.integer(0) ?? -1 }
  }

  @Test func `A claim returns the state that it read and names this process`() throws {
    let container = try container(.app)
    let answer = container.carryOut(.claim(seen: 0, reason: .neverClaimed))
    expect(answer.state, is: 0)
    guard case .claimed(let claim)? = answer.event else { return #expect(Bool(false)) }
    expect(claim.epoch, is: 1)
    let look = container.carryOut(.look)
    guard case .observed(let seen)? = look.event else { return #expect(Bool(false)) }
    #expect(seen.row?.process == own && seen.boot == own.boot && seen.bootClock == place.now)
    #expect(look.state == nil)
  }

  @Test func `A claim from an outdated ownership check is superseded and returns no state`() throws {
    let container = try container(.app)
    _ = try place.otherOwner(.extension, seen: 0)
    let answer = container.carryOut(.claim(seen: 0, reason: .neverClaimed))
    #expect(answer.event == .claimSuperseded && answer.state == nil)
  }

  @Test func `Each raise of the epoch is a claim row with a reason of its own`() throws {
    let container = try container(.app)
    func claim(_ order: GuardDirective.Container) throws -> Claim {
      guard case .claimed(let claim)? = container.carryOut(order).event else { throw NotClaimed() }
      return claim
    }
    let first = try claim(.claim(seen: 0, reason: .neverClaimed))
    let second = try claim(.raiseEpoch(first, above: 9))
    let replaced = ReplacedClaim(epoch: 20, container: ContainerID(high: 1, low: 1))
    let third = try claim(.raiseEpoch(second, above: 20, replacing: replaced))
    expect([first, second, third].map(\.epoch), is: [1, 10, 21])
    expect(try reasons(), is: ["never-claimed", "raised-above-peer", "raised-to-move-here"])
  }

  private func reasons() throws -> [String] {
    try place.open(.extension).read { _, reader in
      try reader.rows("SELECT reason FROM claims ORDER BY epoch").map { try $0.text(0) }
    }
  }

  @Test func `The process to watch is the holder of the node, if that is another process`() throws {
    let container = try container(.app)
    _ = container.carryOut(.look)
    #expect(container.holderToWatch == nil)
    let other = try place.otherOwner(.extension, seen: 0)
    _ = container.carryOut(.look)
    expect(container.holderToWatch, is: .other)
    other.container.releaseRoleLock()
    _ = container.carryOut(.claim(seen: 1, reason: .holderDied))
    #expect(container.holderToWatch == nil)
    _ = container.carryOut(.look)
    #expect(container.holderToWatch == nil)
  }

  @Test func `Each beat but that of a release checks the role lock, and a change is noted once`() throws {
    let notes = Notes()
    let container = try container(.app, notes)
    _ = container.carryOut(.claim(seen: 0, reason: .neverClaimed))
    _ = container.carryOut(.beat(epoch: 1, phase: .claimed, counter: 1))
    expect(notes.all, is: [])
    // With its file removed, another process would find the lock free.
    unlink(place.directory + "/locks/app.lock")
    let other = try place.open(.app)
    expect(other.keepRoleLock(), is: .taken)
    for counter in [2, 3] as [UInt64] {
      _ = container.carryOut(.beat(epoch: 1, phase: .claimed, counter: counter))
    }
    let lost = "another process holds the role lock; this process may look dead to others"
    expect(notes.all, is: [lost])
    other.releaseRoleLock()
    _ = container.carryOut(.beat(epoch: 1, phase: .released, counter: 4))
    expect(notes.all, is: [lost])
    _ = container.carryOut(.beat(epoch: 1, phase: .claimed, counter: 5))
    expect(notes.all, is: [lost, "the role lock is held again"])
  }

  @Test func `A beat is written with the guard's values and this process`() throws {
    let container = try container(.extension)
    _ = container.carryOut(.claim(seen: 0, reason: .neverClaimed))
    _ = container.carryOut(.beat(epoch: 1, phase: .connecting, counter: 8))
    let beat = HeartbeatFile(path: place.directory + "/heartbeat").read(.extension)
    let said = Beat(
      role: .extension, epoch: 1, phase: .connecting, counter: 8, process: own, bootClock: place.now,
      wallClockNanoseconds: 5)
    expect(beat, is: said)
  }

  @Test func `A claim takes the role lock, and dropLock frees it`() throws {
    let container = try container(.app)
    _ = container.carryOut(.claim(seen: 0, reason: .neverClaimed))
    expect(container.shared.roleLock.probe(), is: .busy)
    _ = container.carryOut(.dropLock)
    expect(container.shared.roleLock.probe(), is: .free)
  }

  @Test
  func `The extension sees the app's intent lock; that another app process holds it is noted`() throws {
    let notes = Notes()
    let container = try container(.app, notes)
    let other = try place.open(.extension)
    _ = container.carryOut(.raiseIntent)
    #expect(other.appWantsNode)
    _ = try self.container(.app, notes).carryOut(.raiseIntent)
    expect(
      notes.all,
      is: [
        "another app process holds the intent lock; this process's intent is only sent as a message"
      ])
    _ = container.carryOut(.withdrawIntent)
    #expect(!other.appWantsNode)
  }

  @Test func `Reading the claim row also finds whether the app's intent lock is held`() throws {
    let container = try container(.extension)
    let app = try place.open(.app)
    expect(app.setIntent(true), is: .taken)
    expect(container.carryOut(.readRow).event, is: .rowRead(nil, appWantsNode: true))
  }

  @Test
  func `In a lost container ownership check, row read and claim fail, and the loss is reported`() throws {
    let container = try container(.app)
    rename(place.directory, place.path + "/elsewhere")
    for order in [.look, .readRow, .claim(seen: 0, reason: .neverClaimed)] as [GuardDirective.Container] {
      let answer = container.carryOut(order)
      #expect(answer.failure?.isLossOfTheContainer == true && answer.event?.lossOfContainer != nil)
    }
  }
}
