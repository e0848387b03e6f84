import Platform
import Guardrails
import Heartbeat
import SharedContainer
import WalletProcess

@testable import Baton

@Suite("Inspecting a damaged container", .waits) struct DamagedContainerTests {
  private let scratch = TemporaryDirectory()
  private var directory: String { scratch("AppGroup") }

  private func make() throws {
    _ = try SharedContainer.open(directory, role: .app, nodeSchema: WalletSchema.steps)
  }

  private func problems() throws -> [String] {
    try ContainerReport(of: directory, clock: Clock()).problems.map {
      $0.replacingOccurrences(of: directory, with: "DIR")
    }
  }

  @Test
  func `A container that others can write to, and a symbolic link or pipe in a container, are problems`()
    throws
  {
    try make()
    expect(try problems(), is: [])
    chmod(directory, 0o777)
    expect(
      try problems(), is: ["DIR can be written by others (mode 777); run chmod go-w on it"])
    chmod(directory, 0o700)
    unlink("\(directory)/locks/app.lock")
    symlink("elsewhere", "\(directory)/locks/app.lock")
    mkfifo("\(directory)/heartbeat", 0o600)
    expect(
      try problems(),
      is: [
        "DIR/locks/app.lock is a symbolic link, which could be redirected under running processes; replace it with its target",
        "DIR/heartbeat cannot be used, as it is not a plain file; stop both processes and move it away, or restore the original file",
      ])
  }

  @Test func `A newer schema is reported as a problem`() throws {
    try make()
    try Connection(path: "\(directory)/node.sqlite", access: .readWrite).execute("PRAGMA user_version = 99")
    expect(
      try problems(),
      is: [
        "the container has schema 99, this program knows 2; use the version of the program that wrote it; if the number is wrong, move the container's directory away and keep it, open the app, and run `baton restore`"
      ])
  }

  @Test func `An index that differs from its table is found by inspect --check as by doctor --deep`() throws {
    try make()
    let path = "\(directory)/node.sqlite"
    let page: Int64
    do {
      let raw = try Connection(path: path, access: .readWrite)
      for statement in [
        "CREATE TABLE extra(name TEXT)", "CREATE INDEX by_name ON extra(name)",
        "INSERT INTO extra VALUES ('needle')",
      ] { try raw.execute(statement) }
      let root = try raw.firstRow("SELECT rootpage FROM sqlite_schema WHERE name = 'by_name'")
      page = try #require(try root?.integer(0))
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let start = Int(page - 1) * 4096
    let needle = try #require(bytes.range(of: Data("needle".utf8), in: start..<start + 4096))
    bytes[needle.lowerBound] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    for words in [["inspect", directory, "--check"], ["doctor", directory, "--deep"]] {
      expect(try scratch.start("baton", words).end(), is: .exited(code: 2), "\(words)")
      #expect(scratch.text("said").contains("missing from index by_name"), "\(scratch.text("said"))")
    }
  }

  @Test func `Damaged database pages are reported as a problem or an error`() throws {
    try make()
    let path = "\(directory)/node.sqlite"
    let page: Int64
    do {
      let raw = try Connection(path: path, access: .readWrite)
      for number in 0..<200 {
        try raw.execute(
          "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (1, 1, ?, 0)",
          [.text(String(repeating: "\(number)", count: 100))])
      }
      let root = try raw.firstRow("SELECT rootpage FROM sqlite_schema WHERE name = 'node_writes'")
      page = try #require(try root?.integer(0))
    }
    let descriptor = open(path, O_WRONLY)
    let noise = [UInt8](repeating: 0x5A, count: 4000)
    pwrite(descriptor, noise, noise.count, off_t((page - 1) * 4096))
    close(descriptor)
    do {
      let found = try problems()
      #expect(
        found.contains { $0.hasPrefix("DIR/node.sqlite is damaged (") && $0.contains("`baton restore`") })
    } catch let error as ContainerError { #expect(error.description.contains("is damaged (")) }
  }

  @Test func `A missing database whose write-ahead log exists is an error`() throws {
    try make()
    let path = "\(directory)/node.sqlite"
    try FileManager.default.removeItem(atPath: path)
    _ = FileManager.default.createFile(atPath: "\(path)-wal", contents: Data([1, 2, 3]))
    #expect(
      throws: ContainerError.databaseLost(path: path, because: "as its log exists without it")
    ) { try problems() }
  }

  // MARK: Damage that does not keep a process from opening it

  private func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }

  @Test func `A damaged heartbeat file is reported as a problem, with the processes whose beats are lost`()
    throws
  {
    try make()
    let path = "\(directory)/heartbeat"
    let beat = Beat(
      role: .app, epoch: 0, phase: .released, counter: 1, process: ProcessTable.current(boot: Clock().boot),
      bootClock: Clock().bootClock, wallClockNanoseconds: 0)
    expect(HeartbeatFile(path: path).write(beat), is: .written)
    expect(try problems(), is: [], "one beat, and an unused slot")
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    for bytes in [[UInt8](repeating: 0x5A, count: 1024), Array(whole[..<100])] {
      write(bytes, to: path)
      let found = try problems()
      expect(found.count, is: 1)
      expect(
        found.first?.hasPrefix(
          "DIR/heartbeat is damaged: the slot of mainappd and notifyextd has no valid beat"), is: true)
      expect(found.first?.hasSuffix("rewrites its slot"), is: true)
    }
    write(whole[..<512] + [1] + whole[513...], to: path)
    expect(try problems().first?.contains("the slot of notifyextd has"), is: true)
  }

  @Test func `A missing heartbeat file is reported as a problem, and the last holder's release as unknown`()
    throws
  {
    let clock = Clock()
    var process = ProcessTable.current(boot: clock.boot)
    process.pid = .max
    let claimant = Claimant(
      process: process, incarnation: 7, reason: ClaimReason.neverClaimed.rawValue,
      bootClock: clock.bootClock, wallClockNanoseconds: 0)
    // While this process holds the lock in place of the claimant's.
    func problems() throws -> [String] {
      try self.problems().filter { !$0.contains("holds the lock of that role") }
    }
    do {
      let app = try SharedContainer.open(directory, role: .app, nodeSchema: WalletSchema.steps)
      unlink("\(directory)/heartbeat")
      for seen in 0...1 as ClosedRange<Epoch> {
        expect(try problems(), is: [], "the first claimant may not have beaten yet")
        guard case .claimed = app.claim(seen: seen, by: claimant, reading: { _ in }) else {
          return #expect(Bool(false))
        }
      }
      expect(
        try problems(),
        is: [
          "DIR/heartbeat is missing, so nothing here shows whether a holder beats or has released the node; the next beat creates it again"
        ])
      let beat = Beat(
        role: .app, epoch: 2, phase: .released, counter: 1, process: process, bootClock: clock.bootClock,
        wallClockNanoseconds: 0)
      expect(app.write(beat), is: .written)
      app.releaseRoleLock()
    }
    expect(try ContainerReport(of: directory, clock: clock).verdict, is: .released)
    unlink("\(directory)/heartbeat")
    expect(
      try problems(),
      is: [
        "DIR/heartbeat is missing, so nothing here shows whether a holder beats or has released the node; open the app, which creates it again, or copy the whole directory"
      ])
    let report = try ContainerReport(of: directory, clock: clock)
    expect(report.verdict, is: .goneWithoutBeat)
    expect(
      report.holderSentence,
      is:
        "free: its holder mainappd \(Int32.max) is gone; no beat of it is left that shows whether it released the node"
    )
  }

  @Test func `Missing lock files are reported as a problem`() throws {
    try make()
    unlink("\(directory)/locks/extension.lock")
    expect(
      try problems(),
      is: [
        "the lock file DIR/locks/extension.lock is missing, so nothing here shows which process lives; open the app, which creates it again"
      ])
    try FileManager.default.removeItem(atPath: "\(directory)/locks")
    expect(
      try problems(),
      is: [
        "DIR/locks is missing or empty, so nothing here shows which process lives; open the app, which creates them, or copy the whole directory"
      ])
  }

  /// A stopped holder: a real stopped process in place of the one that holds the lock.
  @Test func `A stopped holder with a stale beat is reported as a problem, with the command that resumes it`()
    throws
  {
    let clock = Clock()
    let container = try SharedContainer.open(directory, role: .app, nodeSchema: WalletSchema.steps)
    let child = try scratch.start("/bin/sleep", ["600"])
    defer {
      child.send(SIGKILL)
      _ = child.end()
    }
    child.send(SIGSTOP)
    while !ProcessTable.isStopped(child.pid) { sched_yield() }
    func problems(beatAgo span: TimeSpan) throws -> [String] {
      let seen: Epoch = (try Snapshot.take(of: directory)).owner?.epoch ?? 0
      let claimant = Claimant(
        process: child.identity, incarnation: 7, reason: "never-claimed", bootClock: clock.bootClock,
        wallClockNanoseconds: 0)
      guard case .claimed(let claim, _) = container.claim(seen: seen, by: claimant, reading: { _ in }) else {
        return ["no claim"]
      }
      let beat = Beat(
        role: .app, epoch: claim.epoch, phase: .established, counter: 1, process: child.identity,
        bootClock: clock.bootClock + TimeSpan(nanoseconds: -span.nanoseconds), wallClockNanoseconds: 0)
      expect(container.write(beat), is: .written)
      var snapshot = try Snapshot.take(of: directory)
      snapshot.appLock.holders = [child.pid]
      return ContainerReport(snapshot, clock: clock).problems
    }
    expect(try problems(beatAgo: .zero), is: [])
    let pid = child.pid
    expect(
      try problems(beatAgo: .seconds(60)),
      is: [
        "mainappd \(pid) holds the node but is stopped, and others may take it; `kill -CONT \(pid)`, or `baton thaw` on a phone of `baton up`, continues it"
      ])
    child.send(SIGCONT)
    while ProcessTable.isStopped(pid) { sched_yield() }
    expect(try problems(beatAgo: .seconds(60)).first?.contains("`kill \(pid)` ends it"), is: true)
  }

  @Test
  func
    `baton inspect --check exits with 1 for a problem that loses nothing, with 2 for a broken one; baton inspect with 0`()
    throws
  {
    try make()
    func code(_ words: String...) throws -> ProcessEnd? {
      try scratch.start("baton", ["inspect", directory] + words).end()
    }
    expect(try code("--check"), is: .exited(code: 0))
    unlink("\(directory)/locks/app.lock")
    expect(try code(), is: .exited(code: 0))
    expect(try code("--check"), is: .exited(code: 1))
    expect(try code("--check", "--json"), is: .exited(code: 1))
    chmod(directory, 0o777)
    expect(try code("--check"), is: .exited(code: 2))
    chmod(directory, 0o700)
    expect(try code("--check", "--diff", directory), is: .exited(code: 64))
    expect(try code("--diff", directory), is: .exited(code: 0))
    truncate("\(directory)/node.sqlite", 0)
    expect(HeartbeatFile(path: "\(directory)/heartbeat").write(Self.beat(epoch: 3)), is: .written)
    expect(try code(), is: .exited(code: 74))
    expect(try code("--check"), is: .exited(code: 2), "the database is lost: that is the verdict")
    expect(try code("--payments", "0"), is: .exited(code: 64))
  }

  private static func beat(epoch: Epoch) -> Beat {
    let clock = Clock()
    return Beat(
      role: .app, epoch: epoch, phase: .released, counter: 1, process: ProcessTable.current(boot: clock.boot),
      bootClock: clock.bootClock, wallClockNanoseconds: 0)
  }
}
