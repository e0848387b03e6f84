import Ground
import Platform
import Glibc
import Guardrails
import Heartbeat
import SharedContainer

/// One process of one role, driven by the tests.
struct Claimer {
  static let schema = [
    """
    CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
    INSERT INTO counter (id, value) VALUES (1, 0), (2, 0);
    """
  ]

  let role: Role
  let container: SharedContainer

  init(directory: String, role: Role) {
    self.role = role
    do {
      container = try SharedContainer.open(directory, role: role, nodeSchema: Self.schema)
    } catch {
      fail("\(error)")
    }
  }

  // MARK: Modes

  /// In each round both processes see the same epoch and start at once; exactly one may claim.
  func race(rounds: Int, log: String, counter: String) {
    let gates: [Int32] = [100, 101]
    let log = LogFile(path: log)
    var earlier: Claim?
    say("R")
    for round in 0..<rounds {
      let seen = highestRow()?.epoch ?? 0
      say("S")
      waitForStart(gates[round % 2])
      guard let claim = claim(seen: seen) else {
        // The loser is also a zombie: a write under its earlier epoch must be fenced.
        if let earlier, write(under: earlier) { fail("a write under epoch \(earlier.epoch) came through") }
        say("L")
        continue
      }
      work(under: claim, log, counter)
      container.releaseRoleLock()
      earlier = claim
      say("W")
    }
  }

  /// Without rounds: each claims as soon as the other's lock is free, as in a takeover.
  func contend(claims: Int, log: String, counter: String) {
    let log = LogFile(path: log)
    var done = 0
    while done < claims {
      guard
        let seen = try? container.look(boot: Self.identity.boot, bootClock: Instant(nanoseconds: 0)),
        !seen.holderLockIsBusy, let claim = claim(seen: seen.row?.epoch ?? 0)
      else {
        sched_yield()
        continue
      }
      work(under: claim, log, counter)
      container.releaseRoleLock()
      done += 1
    }
  }

  /// Claims and writes for ever, and prints each value only when it is durable.
  func workUntilKilled() {
    while true {
      let seen = highestRow()?.epoch ?? 0
      if let claim = claim(seen: seen), write(under: claim) {
        say("\(counterValue())\n")
        container.releaseRoleLock()
      }
    }
  }

  /// Stops itself while its claim's transaction is open.
  func stopInsideClaim() {
    _ = container.claim(seen: highestRow()?.epoch ?? 0, by: claimant("to be stopped")) { _ in
      say("S")
      kill(getpid(), SIGSTOP)
    }
  }

  /// Stops itself with an empty head of the log's index and its locks, as in a recovery of the log.
  func stopInsideRecovery(_ directory: String) {
    let index = open(directory + "/node.sqlite-shm", O_RDWR | O_CLOEXEC)
    var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 120, l_len: 8, l_pid: 0)
    guard index >= 0, fcntl(index, F_SETLK, &lock) == 0 else { fail("no lock of the index") }
    let head = [UInt8](repeating: 0, count: 96)
    guard pwrite(index, head, head.count, 0) == head.count else { fail("no index") }
    say("S")
    kill(getpid(), SIGSTOP)
  }

  func holdUntilEndOfInput() {
    guard claim(seen: highestRow()?.epoch ?? 0) != nil else { fail("another process claimed") }
    if role == .app, container.setIntent(true) != .taken { fail("the intent lock is taken") }
    say("H")
    waitForByte(STDIN_FILENO)
  }

  // MARK: Parts

  private func work(under claim: Claim, _ log: LogFile, _ counter: String) {
    log.append("begin \(claim.epoch) \(role.rawValue)\n")
    SharedCounter.grow(counter)
    if !write(under: claim) { fail("the owner of epoch \(claim.epoch) was fenced") }
    log.append("end \(claim.epoch) \(role.rawValue)\n")
  }

  private func claim(seen: Epoch) -> Claim? {
    while true {
      switch container.claim(seen: seen, by: claimant("a test"), reading: { _ in () }) {
      case .claimed(let claim, _): return claim
      case .superseded: return nil
      // A probe holds the lock for an instant, a transaction blocks the database for a millisecond.
      case .ownLockBusy, .failed(.blocked): sched_yield()
      case .failed(let error): fail("\(error)")
      }
    }
  }

  /// Increments two rows in one transaction: a lost or torn update would show.
  private func write(under claim: Claim) -> Bool {
    while true {
      let result = container.fencedWrite(under: claim, what: "count", atMonotonic: Instant(nanoseconds: 0)) {
        node in
        for id: Int64 in [1, 2] {
          let value =
            try node.firstRow("SELECT value FROM counter WHERE id = ?", [.integer(id)])?.integer(0) ?? 0
          try node.execute("UPDATE counter SET value = ? WHERE id = ?", [.integer(value + 1), .integer(id)])
        }
      }
      switch result {
      case .written: return true
      case .fenced: return false
      case .failed(.blocked): sched_yield()
      case .failed(let error): fail("\(error)")
      }
    }
  }

  private func counterValue() -> Int64 {
    let value = try? container.read { _, node in
      try node.firstRow("SELECT value FROM counter WHERE id = 1")?.integer(0)
    }
    return value ?? -1
  }

  private func highestRow() -> ClaimRow? {
    while true {
      do throws(ContainerError) { return try container.readRow() } catch {
        if !error.isBlocked { fail("\(error)") }
        sched_yield()
      }
    }
  }

  private static let identity = ProcessIdentity(pid: getpid(), startTime: 0, boot: BootID(high: 1, low: 2))

  private func claimant(_ reason: String) -> Claimant {
    let incarnation: UInt64
    do { incarnation = try SharedContainer.newIncarnation() } catch { fail("\(error)") }
    return Claimant(
      process: Self.identity, incarnation: incarnation, reason: reason, bootClock: Instant(nanoseconds: 0),
      wallClockNanoseconds: 0)
  }
}
