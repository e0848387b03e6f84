import Ground
import DaemonRuntime
import Platform
import Guardrails
import Heartbeat
import SharedContainer

/// Costs of the library's calls in one process, in small batches alternating with the floor's.
struct ContainerCosts {
  let floor: FloorProgram
  private static let batch = 50

  func rows(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    let directory = try Scratch.directory()
    defer { Scratch.remove(directory) }
    let container = try SharedContainer.open("\(directory)/AppGroup", role: .app, nodeSchema: [Self.schema])
    let process = ProcessTable.current(boot: Clock().boot)
    var epoch: Epoch = 0
    var claims: [Int64] = []
    var writes: [Int64] = []
    var beats: [Int64] = []
    var floorClaims: [Int64] = []
    var floorWrites: [Int64] = []
    var floorBeats: [Int64] = []
    for done in stride(from: 0, to: rounds, by: Self.batch) {
      let count = "\(Self.batch)"
      floorClaims += try floor.samples(["lock-commit", directory, count])
      for _ in 0..<Self.batch {
        claims.append(try claimAndRelease(container, seen: epoch, process))
        epoch += 1
      }
      floorWrites += try floor.samples(["commit", directory, count])
      let claim = try self.claim(container, seen: epoch, process)
      epoch += 1
      for _ in 0..<Self.batch { writes.append(try write(container, under: claim)) }
      floorBeats += try floor.samples(["beat", directory, count])
      for counter in 0..<Self.batch {
        let beat = self.beat(epoch, .established, UInt64(counter), process)
        beats.append(timed { _ = container.write(beat) })
      }
      container.releaseRoleLock()
      progress(min(rounds, done + Self.batch))
    }
    return [
      Row(
        name: "claim + release (a durable commit, a flock)", samples: Samples(claims),
        floor: Samples(floorClaims), aims: [.ratio(1.5)]),
      Row(
        name: "fenced write (a durable commit)", samples: Samples(writes), floor: Samples(floorWrites)),
      Row(name: "beat (a pwrite)", samples: Samples(beats), floor: Samples(floorBeats)),
    ]
  }

  private static let schema =
    "CREATE TABLE bench (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, words TEXT, at INTEGER);"

  private func timed(_ body: () throws -> Void) rethrows -> Int64 {
    let start = Clock.monotonicNow
    try body()
    return (Clock.monotonicNow - start).nanoseconds
  }

  private func claimAndRelease(
    _ container: SharedContainer, seen: Epoch, _ process: ProcessIdentity
  ) throws -> Int64 {
    try timed {
      _ = try claim(container, seen: seen, process)
      _ = container.write(beat(seen + 1, .released, 1, process))
      container.releaseRoleLock()
    }
  }

  private func claim(_ container: SharedContainer, seen: Epoch, _ process: ProcessIdentity) throws -> Claim {
    let claimant = Claimant(
      process: process, incarnation: try SharedContainer.newIncarnation(), reason: "bench",
      bootClock: Clock.monotonicNow, wallClockNanoseconds: 0)
    guard case .claimed(let claim, _) = container.claim(seen: seen, by: claimant, reading: { _ in 0 }) else {
      throw BenchError("a claim was refused")
    }
    return claim
  }

  private func beat(
    _ epoch: Epoch, _ phase: Phase, _ counter: UInt64, _ process: ProcessIdentity
  ) -> Beat {
    Beat(
      role: .app, epoch: epoch, phase: phase, counter: counter, process: process,
      bootClock: Clock.monotonicNow, wallClockNanoseconds: 0)
  }

  private func write(_ container: SharedContainer, under claim: Claim) throws -> Int64 {
    try timed {
      let result = container.fencedWrite(under: claim, what: "bench", atMonotonic: Clock.monotonicNow) {
        try $0.execute(
          "INSERT INTO bench (a, b, words, at) VALUES (7, 1234567890123, 'channel revision 12', 99)")
      }
      guard case .written = result else { throw BenchError("a write was refused") }
    }
  }
}
