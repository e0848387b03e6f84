import Foundation

@testable import SharedContainer

/// Real processes on one container: they race, are stopped, and are killed.
@Suite(.serialized, .waits) struct TwoProcessTests {
  let place = Place()

  private static let counterSchema = [
    """
    CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
    INSERT INTO counter (id, value) VALUES (1, 0), (2, 0);
    """
  ]

  private func open(_ role: Role) throws -> SharedContainer {
    try SharedContainer.open(place.directory, role: role, nodeSchema: Self.counterSchema)
  }

  private func start(_ mode: String, _ role: Role, count: Int? = nil, gates: [Int32] = []) throws -> Child {
    let tail = count.map { ["\($0)", place.file("log"), place.file("counter")] } ?? []
    return try #require(Child([mode, place.directory, role.rawValue] + tail, gates: gates))
  }

  private func counters() throws -> [Int64] {
    try Connection(path: place.layout.database, access: .readOnly)
      .rows("SELECT value FROM counter ORDER BY id").map { try $0.integer(0) }
  }

  private static func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// The number of steps; records an issue for the first that two processes did at once.
  private func stepsOfOneHolder(in log: String) -> Int {
    let lines = log.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    var steps = 0
    for index in stride(from: 0, to: lines.count - 1, by: 2) {
      let (begin, end) = (lines[index], lines[index + 1])
      guard begin.count == 3, end.count == 3, begin[0] == "begin", end[0] == "end", begin[1...] == end[1...],
        begin[1] == "\(index / 2 + 1)"
      else {
        Issue.record("two holders or a missing epoch: \(begin) \(end)")
        return steps
      }
      steps += 1
    }
    return steps
  }

  private func expectExclusion(claims: Int) throws {
    expect(stepsOfOneHolder(in: String(decoding: Files.read(place.file("log")), as: UTF8.self)), is: claims)
    expect(try counters(), is: [Int64(claims), Int64(claims)])
    let plain = Files.read(place.file("counter")).enumerated().reduce(0) {
      $0 | Int($1.element) << (8 * $1.offset)
    }
    expect(plain, is: claims)
    let snapshot = try Snapshot.take(
      of: place.directory, depth: SnapshotDepth(rowsPerTableMax: 0, isThorough: true))
    expect(snapshot.claims.map(\.row.epoch), is: (1...Epoch(claims)).map { $0 })
    #expect(snapshot.claims.allSatisfy { $0.seen + 1 == $0.row.epoch })
    expect(snapshot.writes.count, is: Int64(claims))
  }

  @Test func `Of two processes that claim at the same instant exactly one succeeds, in 2,000 races`() throws {
    let rounds = getenv("BATON_RACE_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 2000
    // Two gates in turn, so a quick process cannot take the other's byte of the next round.
    let gates = [try #require(Pipe()), try #require(Pipe())]
    defer { for gate in gates { gate.shut() } }
    let racers = try Role.allCases.map { role in
      try start("race", role, count: rounds, gates: gates.map(\.reading))
    }
    for racer in racers { expect(racer.nextByte(), is: UInt8(ascii: "R")) }
    var wins = racers.map { _ in 0 }
    for round in 0..<rounds {
      for racer in racers { try #require(racer.nextByte() == UInt8(ascii: "S")) }
      // Both get the same start instant, slightly in the future, in one call.
      let start = Self.monotonicNanoseconds() + 150_000
      try #require(write(gates[round % 2].writing, [start, start], 16) == 16)
      let outcomes = racers.map { $0.nextByte() }
      try #require(outcomes.filter { $0 == UInt8(ascii: "W") }.count == 1)
      try #require(outcomes.filter { $0 == UInt8(ascii: "L") }.count == 1)
      for (index, outcome) in outcomes.enumerated() where outcome == UInt8(ascii: "W") { wins[index] += 1 }
    }
    for racer in racers { expect(racer.exitStatus(), is: 0) }
    // A race that one role always wins would not test the other one.
    print("measured: \(rounds) races, won by \(Role.allCases.map(\.rawValue)): \(wins)")
    for (role, won) in zip(Role.allCases, wins) {
      #expect(won * 10 >= rounds, "the \(role) won \(won) of \(rounds) races")
    }
    try expectExclusion(claims: rounds)
  }

  @Test func `Two processes that claim whenever the node is free never own it at once`() throws {
    let claims = 1_000
    let racers = try Role.allCases.map { try start("contend", $0, count: claims) }
    for racer in racers { expect(racer.exitStatus(), is: 0) }
    try expectExclusion(claims: 2 * claims)
  }

  @Test func `If two processes create a container at once, their claims get epochs 1 and 2 of one container`()
    throws
  {
    for round in 0..<25 {
      let directory = place.file("new\(round)")
      let makers = Role.allCases.compactMap {
        Child(["contend", directory, $0.rawValue, "1", place.file("log"), place.file("counter")])
      }
      expect(makers.map { $0.remainingText() }, is: ["", ""])
      expect(makers.map { $0.exitStatus() }, is: [0, 0])
      expect(try Snapshot.take(of: directory).claims.map(\.row.epoch), is: [1, 2])
    }
  }

  @Test func `A process waits for another one that takes three seconds to create the container`() throws {
    try place.layout.create()
    try place.layout.createDatabase()
    let other = try Connection(path: place.layout.database, access: .readOnly)
    try other.script("BEGIN; SELECT * FROM sqlite_schema")
    let maker = try start("contend", .app, count: 1)
    Kernel.pause(milliseconds: 3000)
    try other.script("COMMIT")
    expect(maker.remainingText(), is: "")
    expect(maker.exitStatus(), is: 0)
  }

  @Test func `A journal that SQLite is removing counts as missing`() throws {
    try place.layout.create()
    try place.layout.createDatabase()
    let journal = place.layout.databaseJournal
    let end = place.file("end")
    let remover = Thread {
      while access(end, F_OK) != 0 {
        Files.write(journal, [1])
        unlink(journal)
      }
    }
    remover.start()
    defer { Files.write(end, []) }
    for _ in 0..<20_000 { _ = try place.layout.databaseFacts() }
  }

  @Test func `A kill at any moment loses no acknowledged write`() throws {
    let survivor = try open(.app)
    var seed: UInt64 = 42
    for _ in 0..<60 {
      let child = try start("work", .extension)
      // Killed after this many bytes of output: anywhere in a claim, in a write, or between.
      seed = seed &* 6_364_136_223_846_793_005 &+ 1
      var said = ""
      for _ in 0...(seed >> 33) % 24 { said += child.nextByte().map { String(UnicodeScalar($0)) } ?? "" }
      child.killNow()
      said += child.remainingText()
      expect(child.exitStatus(), is: 128 + SIGKILL)

      let observation = try #require(survivor.seen())
      #expect(!observation.holderLockIsBusy)
      let values = try counters()
      let acknowledged = said.split(separator: "\n").compactMap { Int64($0) }.max() ?? 0
      expect(values[0], is: values[1])
      #expect(values[0] >= acknowledged)
      let claim = survivor.claim(seen: observation.row?.epoch ?? 0, by: .test()) { _ in () }
      guard case .claimed = claim else {
        Issue.record("\(claim)")
        return
      }
      survivor.releaseRoleLock()
    }
    let check = try Connection(path: place.layout.database, access: .readOnly).firstRow(
      "PRAGMA integrity_check")
    expect(try check?.text(0), is: "ok")
  }

  @Test func `While a process is stopped inside its claim, others can open the container, but cannot claim`()
    throws
  {
    let app = try open(.app)
    let child = try start("stop", .extension)
    expect(child.nextByte(), is: UInt8(ascii: "S"))
    #expect(child.waitUntilStopped())
    let stopped = BlockedBy(pid: child.pid, isStopped: true)
    expect(stopped.description, is: "process \(child.pid) is stopped inside a transaction")

    expect(
      app.claim(seen: 0, by: .test()) { _ in 0 },
      is: .failed(.blocked(path: place.layout.database, by: stopped)))
    #expect(!app.roleLock.isHeld)
    #expect(try app.readRow() == nil)
    expect(try Snapshot.take(of: place.directory).writer, is: stopped)
    // A wallet process that starts now can still open the container.
    expect(
      try open(.app).claim(seen: 0, by: .test()) { _ in 0 },
      is: .failed(.blocked(path: place.layout.database, by: stopped)))

    child.killNow()
    expect(child.exitStatus(), is: 128 + SIGKILL)
    expect(
      app.claim(seen: 0, by: .test()) { _ in 0 },
      is: .claimed(Claim(epoch: 1, incarnation: 7, container: app.id), 0))
  }

  @Test func `A process stopped while it recovers the log is named, though no snapshot can be taken`() throws
  {
    _ = try open(.app)
    expect(Snapshot.writer(of: place.directory), is: nil)
    let child = try start("recover", .extension)
    expect(child.nextByte(), is: UInt8(ascii: "S"))
    #expect(child.waitUntilStopped())
    let stopped = BlockedBy(pid: child.pid, isStopped: true)
    expect(Snapshot.writer(of: place.directory), is: stopped)
    #expect(throws: ContainerError.blocked(path: place.layout.database, by: stopped)) {
      try Snapshot.take(of: place.directory)
    }
    child.killNow()
    expect(child.exitStatus(), is: 128 + SIGKILL)
    expect(Snapshot.writer(of: place.directory), is: nil)
    _ = try Snapshot.take(of: place.directory)
  }

  @Test func `The app's death frees its role lock and intent lock, its SIGSTOP frees neither`() throws {
    let other = try open(.extension)
    let child = try start("hold", .app)
    expect(child.nextByte(), is: UInt8(ascii: "H"))
    kill(child.pid, SIGSTOP)
    #expect(child.waitUntilStopped())
    expect(other.seen()?.holderLockIsBusy, is: true)
    expect(other.seen()?.appWantsNode, is: true)
    let snapshot = try Snapshot.take(of: place.directory)
    expect(snapshot.appLock.holders, is: [child.pid])
    expect(snapshot.appIntent.holders, is: [child.pid])
    expect(snapshot.extensionLock.holders, is: [])
    child.killNow()
    _ = child.exitStatus()
    expect(other.seen()?.holderLockIsBusy, is: false)
    expect(other.seen()?.appWantsNode, is: false)
  }

  @Test func `The app's role lock and intent lock have the lowest descriptors of its open files`() throws {
    let child = try start("hold", .app)
    expect(child.nextByte(), is: UInt8(ascii: "H"))
    let open = Files.descriptors(of: child.pid)
    let locks = [place.layout.roleLock(of: .app), place.layout.appIntent]
    expect(open.prefix(2), is: locks[...])
    #expect(open.dropFirst(2).contains(place.layout.database))
    #expect(!open.contains { $0.hasSuffix("extension.lock") })
  }
}
