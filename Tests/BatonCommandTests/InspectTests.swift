import Crypto
import Guardrails
import Heartbeat
import PhonePolicy
import SharedContainer
import WalletProcess

@testable import Baton

@Suite("Inspecting a container", .waits) struct InspectTests {
  private let scratch = TemporaryDirectory()
  private let clock = Clock()

  private var directory: String { scratch("AppGroup") }

  private func open(_ role: Role) throws -> SharedContainer {
    try SharedContainer.open(directory, role: role, nodeSchema: WalletSchema.steps)
  }

  private func claim(_ container: SharedContainer, seen: Epoch, pid: Int32? = nil) -> Claim? {
    var process = ProcessTable.current(boot: clock.boot)
    process.pid = pid ?? process.pid
    let claimant = Claimant(
      process: process, incarnation: 7, reason: "holder-died", bootClock: clock.bootClock,
      wallClockNanoseconds: clock.wallNanoseconds)
    guard case .claimed(let claim, _) = container.claim(seen: seen, by: claimant, reading: { _ in }) else {
      return nil
    }
    return claim
  }

  private func beat(
    _ container: SharedContainer, _ role: Role, _ epoch: Epoch, _ phase: Phase, ago: TimeSpan = .zero
  ) {
    let beat = Beat(
      role: role, epoch: epoch, phase: phase, counter: 1, process: ProcessTable.current(boot: clock.boot),
      bootClock: clock.bootClock + TimeSpan(nanoseconds: -ago.nanoseconds), wallClockNanoseconds: 0)
    expect(container.write(beat), is: .written)
  }

  private func report() throws -> ContainerReport { try ContainerReport(of: directory, clock: clock) }

  @Test func `A node that was never claimed is reported as free`() throws {
    let container = try open(.app)
    let report = try report()
    expect(report.verdict, is: .neverClaimed)
    expect(report.holderSentence, is: "free: no process has ever claimed the node")
    #expect(report.problems.isEmpty)
    withExtendedLifetime(container) {}
  }

  @Test func `Payments that were announced and not received are listed, and a damaged list is a problem`()
    throws
  {
    let container = try open(.app)
    expect(try report().announced, is: [])
    let store = IncomingStore(container: directory)
    let hash = Bytes32([UInt8](repeating: 0xab, count: 32)) ?? .zero
    let record = IncomingRecord(
      paymentHash: hash, amountMsat: 100_000, kind: .incomingHtlc, isHeld: true, holdEndsAt: .max)
    try store.add(record, arrivedAt: 1_700_000_000)
    let report = try report()
    expect(report.problems, is: [])
    let text = String(decoding: Array(try JSONLineEncoder().encode(report.document).utf8), as: UTF8.self)
    #expect(text.contains(#""state":"incoming""#) && text.contains(hash.hex) && text.contains("100000"))
    expect(try scratch.start("baton", ["inspect", directory]).end(), is: .exited(code: 0))
    let said = scratch.text("said")
    #expect(
      said.contains("announced, not received (1)") && said.contains("held until") && said.contains(hash.hex))
    try Data("garbage".utf8).write(to: URL(filePath: store.path))
    expect(try self.report().problems.count, is: 1)
    withExtendedLifetime(container) {}
  }

  @Test func `A beating holder is reported as alive with current beats`() throws {
    let container = try open(.extension)
    _ = try #require(claim(container, seen: 0))
    beat(container, .extension, 1, .established)
    let report = try report()
    expect(report.holderSentence, is: "held by notifyextd \(getpid()), alive, with current beats")
    #expect(report.snapshot.isLive)
    expect(report.ownerBeat?.phase, is: .established)
    #expect(report.problems.isEmpty)
  }

  @Test func `A holder whose beat is stale is reported with the beat's age`() throws {
    let container = try open(.app)
    _ = try #require(claim(container, seen: 0))
    beat(container, .app, 1, .established, ago: .seconds(60))
    guard case .silent(let age) = try report().verdict else { return #expect(Bool(false)) }
    #expect(age >= .seconds(60))
    withExtendedLifetime(container) {}
  }

  @Test func `A beat of an earlier epoch does not count for the holder`() throws {
    let container = try open(.app)
    _ = try #require(claim(container, seen: 0))
    beat(container, .app, 1, .established)
    _ = try #require(claim(container, seen: 1))
    expect(try report().verdict, is: .noBeat)
    #expect(try report().ownerBeat == nil)
    withExtendedLifetime(container) {}
  }

  @Test func `A node that its holder has released is reported as free`() throws {
    let container = try open(.app)
    _ = try #require(claim(container, seen: 0))
    beat(container, .app, 1, .released)
    container.releaseRoleLock()
    expect(try report().verdict, is: .released)
    expect(try report().holderSentence, is: "free: mainappd \(getpid()) released the node")
  }

  @Test func `A holder that ended without a release is reported as gone`() throws {
    let container = try open(.app)
    // The claim of a nonexistent process: this one holds locks of other tests' containers.
    _ = try #require(claim(container, seen: 0, pid: .max))
    beat(container, .app, 1, .settling)
    container.releaseRoleLock()
    let other = try open(.extension)
    expect(try report().verdict, is: .gone)
    #expect(try report().holderSentence.contains("is gone"))
    withExtendedLifetime(other) {}
  }

  @Test func `A role lock held by another process than the one in the highest claim row is reported`() throws
  {
    let container = try open(.app)
    _ = try #require(claim(container, seen: 0, pid: 999_999))
    expect(try report().verdict, is: .lockHeldByAnother(pid: getpid()))
    withExtendedLifetime(container) {}
  }

  @Test func `A container that no process has open is read in a copy, and no file is added to it`() throws {
    do {
      let container = try open(.app)
      _ = try #require(claim(container, seen: 0))
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    let report = try report()
    #expect(!report.snapshot.isLive)
    expect(report.snapshot.claims.count, is: 1)
    expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted(), is: before)
  }

  @Test func `The report has the wallet's paid, open and cancelled invoices and its received payments`()
    throws
  {
    let container = try open(.app)
    let owned = try #require(claim(container, seen: 0))
    beat(container, .app, 1, .established)
    let hash = [UInt8](repeating: 7, count: 32)
    let written = container.fencedWrite(under: owned, what: "test", atMonotonic: Instant(nanoseconds: 1)) {
      node in
      for number in [UInt8(7), 8, 9] {
        try node.execute(
          "INSERT INTO invoices VALUES (?, ?, ?, ?, ?)",
          [.blob([UInt8](repeating: number, count: 32)), 5_000_000, "Coffee", .blob(hash), 10])
      }
      try node.execute("INSERT INTO received_payments VALUES (1, ?, 5000000, 1, 2)", [.blob(hash)])
      try node.execute(
        "INSERT INTO cancelled_invoices VALUES (?, 1, 2)", [.blob([UInt8](repeating: 9, count: 32))])
    }
    guard case .written = written else { return #expect(Bool(false), "\(written)") }
    let report = try report()
    expect(report.wallet.invoices.map(\.isPaid), is: [true, false, false])
    expect(report.wallet.invoices.map(\.isOpen), is: [false, true, false])
    expect(report.wallet.receivedMsat, is: 5_000_000)
    expect(report.wallet.payments.first?.paymentHash, is: Hexadecimal.encode(hash))
    #expect(report.problems.isEmpty)
    expect(JSONValue(parsing: Array(report.document.json.utf8))?["payments"]?.elements?.count, is: 1)
  }

  @Test
  func
    `If a beat's epoch is above every claim's, a problem says that an older copy of the database was put back`()
    throws
  {
    let container = try open(.app)
    _ = try #require(claim(container, seen: 0))
    beat(container, .app, 9, .established)
    #expect(try report().problems.contains { $0.contains("older copy") })
    withExtendedLifetime(container) {}
  }

  @Test(
    arguments: [
      ("restored=1 revision=9 invoice=1", "restored from the peer's backup, channel revision 9, new invoice"),
      (
        "received=1 offered=2 ended=1",
        "1 payment received, 2 outgoing payments begun, 1 outgoing payment ended"
      ),
      (
        "cancelled=1 waiting=0 failed=1",
        "invoice cancelled, no payment lacks parts any more, channel failed by the peer"
      ),
      ("waiting=1", "1 payment with parts missing"), ("channel revision 9", "channel revision 9"),
      ("x=1", "x=1"),
    ])
  func `The last fenced write is described in words; an unknown format is shown as it is`(
    code: String, sentence: String
  ) throws {
    expect(WriteSentence.of(code), is: sentence)
    let container = try open(.app)
    let owner = try #require(claim(container, seen: 0))
    _ = container.fencedWrite(under: owner, what: code, atMonotonic: clock.now) { _ in }
    expect(try report().writesWords, is: "1, the last under epoch 1: \(sentence)")
  }

  @Test func `A directory that is not a container is refused in one sentence`() {
    let failed = #expect(throws: ContainerError.self) { try ContainerReport(of: scratch.path, clock: clock) }
    expect(failed?.description.contains("not a shared container"), is: true)
    expect(CommandFailure(ContainerError.missing(path: "/x")).code, is: .inputOutputError)
  }
}
