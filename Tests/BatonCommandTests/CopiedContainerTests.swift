import Guardrails
import Heartbeat
import SharedContainer
import WalletProcess

@testable import Baton

@Suite("Inspecting a copied container", .waits) struct CopiedContainerTests {
  private let scratch = TemporaryDirectory()

  private func open(_ name: String, _ role: Role) throws -> SharedContainer {
    try SharedContainer.open(scratch(name), role: role, nodeSchema: WalletSchema.steps)
  }

  /// A container held by this process, with a beat.
  private func heldContainer(_ clock: Clock) throws -> SharedContainer {
    let app = try open("AppGroup", .app)
    let identity = ProcessTable.current(boot: clock.boot)
    let claimant = Claimant(
      process: identity, incarnation: 7, reason: "never-claimed", bootClock: clock.bootClock,
      wallClockNanoseconds: clock.wallNanoseconds)
    guard case .claimed = app.claim(seen: 0, by: claimant, reading: { _ in }) else { throw NotClaimed() }
    let beat = Beat(
      role: .app, epoch: 1, phase: .established, counter: 1, process: identity, bootClock: clock.bootClock,
      wallClockNanoseconds: clock.wallNanoseconds)
    expect(app.write(beat), is: .written)
    return app
  }

  private struct NotClaimed: Error {}

  /// By another process: closing a live database here would drop SQLite's locks.
  private func copy(_ from: String, _ to: String) throws {
    _ = try scratch.start("/bin/cp", ["-a", scratch(from), scratch(to)]).end()
  }

  @Test
  func `A copy of a held container is reported as a copy with a free node, and a claim is permitted there`()
    throws
  {
    let clock = Clock()
    let app = try heldContainer(clock)
    try copy("AppGroup", "copy")
    let report = try ContainerReport(of: scratch("copy"), clock: clock)
    expect(report.verdict, is: .copied)
    #expect(!report.verdict.isHeld)
    expect(
      report.holderSentence,
      is:
        "free in this copy of a container: its holder mainappd \(getpid()) lives, and holds the locks of another container"
    )
    #expect(report.holder.json.contains(#""verdict":"copied""#))
    expect(report.problems, is: [])
    #expect(try ContainerReport(of: scratch("AppGroup"), clock: clock).verdict.isHeld)
    // What a wallet process decides on the copy.
    let opened = try open("copy", .extension)
    let observation = try opened.look(boot: clock.boot, bootClock: clock.bootClock)
    var rule = ClaimRule(role: .extension, takeover: .lock, timing: .standard)
    expect(rule.decide(observation, at: clock.now), is: .claim(seen: 1, reason: .holderDied))
    withExtendedLifetime(app) {}
  }

  @Test
  func `A copy's last beat has an age only if the phone's clock file is known and names the beat's boot`()
    throws
  {
    let clockFile = scratch.write("clock", "")
    try PhoneClockFile(path: clockFile).write(PhoneClock(boot: BootID(high: 1, low: 2)))
    let app = try heldContainer(Clock(phoneClockFile: clockFile))
    try copy("AppGroup", "copy")
    let bare = try ContainerReport(of: scratch("copy"), clock: Clock())
    let words = bare.words(bare.snapshot.appBeat, of: .app)
    #expect(words.hasSuffix(" by the clock of its phone") && !words.contains("boot"), "\(words)")
    let known = try ContainerReport(of: scratch("copy"), clock: Clock(phoneClockFile: clockFile))
    #expect(known.words(known.snapshot.appBeat, of: .app).hasSuffix(" ago"))
    try PhoneClockFile(path: clockFile).write(PhoneClock(boot: BootID(high: 3, low: 4)))
    let rebooted = try ContainerReport(of: scratch("copy"), clock: Clock(phoneClockFile: clockFile))
    #expect(rebooted.words(rebooted.snapshot.appBeat, of: .app).contains("in another boot"))
    withExtendedLifetime(app) {}
  }

  @Test
  func
    `A beat of the machine's boot is shown with its age although the phone's clock file names another boot`()
    throws
  {
    let app = try heldContainer(Clock())
    let clockFile = scratch.write("clock", "")
    try PhoneClockFile(path: clockFile).write(PhoneClock(boot: BootID(high: 1, low: 2)))
    let report = try ContainerReport(of: scratch("AppGroup"), clock: Clock(phoneClockFile: clockFile))
    #expect(report.words(report.snapshot.appBeat, of: .app).hasSuffix(" ago"))
    #expect(report.heldFor != nil)
    withExtendedLifetime(app) {}
  }

  @Test func `A write-ahead log above 1 GB is refused before it is copied`() throws {
    do { _ = try heldContainer(Clock()) }
    let log = scratch("AppGroup/node.sqlite-wal")
    let descriptor = Glibc.open(log, O_WRONLY | O_CREAT, 0o600)
    expect(ftruncate(descriptor, 30 << 30), is: 0)
    close(descriptor)
    #expect(throws: ContainerError.tooLargeToCopy(path: log, bytes: 30 << 30, most: 1 << 30)) {
      try ContainerReport(of: scratch("AppGroup"), clock: Clock())
    }
  }

  @Test
  func `The report on a claim after the holder's death names how the holder ended, if iosd recorded it`()
    throws
  {
    let clock = Clock()
    do { _ = try heldContainer(clock) }
    let app = try open("AppGroup", .app)
    var process = ProcessTable.current(boot: clock.boot)
    let died = Claimant(
      process: process, incarnation: 8, reason: ClaimReason.holderDied.rawValue, bootClock: clock.bootClock,
      wallClockNanoseconds: 0)
    guard case .claimed = app.claim(seen: 1, by: died, reading: { _ in }) else { throw NotClaimed() }
    let phone = Phone(home: scratch.path)
    func because() throws -> String? {
      try ContainerReport(of: scratch("AppGroup"), clock: clock, ends: phone.endReasons).ownerFacts
        .first { $0.0 == "claimed because" }?.1
    }
    expect(try because(), is: "the holder died without a release")
    let row =
      #"{"id":1,"role":"app","pid":\#(getpid()),"start_time":1,"path":"/x","launch_reason":"opened","started_wall_ns":1,"started_at_ns":1"#
    scratch.write(
      "os/processes.jsonl", "\(row)}\n\(row),\"ended_at_ns\":2,\"reason\":\"swiped away by the user\"}\n")
    expect(try because(), is: "the holder died without a release (swiped away by the user)")
    process.pid = .max
    let released = Claimant(
      process: process, incarnation: 9, reason: ClaimReason.holderReleased.rawValue,
      bootClock: clock.bootClock, wallClockNanoseconds: 0)
    guard case .claimed = app.claim(seen: 2, by: released, reading: { _ in }) else { throw NotClaimed() }
    expect(try because(), is: "the holder released it")
  }
}
