import CoreShape
import Crypto
import DaemonRuntime
import Database
import Foundation
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import Testing
import WalletStore

/// Since when a payment waits for its parts, in a real container.
@Suite("The table of waits")
final class WaitingPartsTableTests {
  private let directory: String
  private let clock = Clock()
  private let boot = BootID(high: .max, low: 2)

  init() throws {
    var template = Array("/tmp/baton-waits-XXXXXX".utf8CString)
    directory = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func moment(_ seconds: Int64, _ boot: BootID? = nil) -> BootMoment {
    BootMoment(boot: boot ?? self.boot, clock: Instant(nanoseconds: seconds * 1_000_000_000))
  }

  private func claim(_ container: SharedContainer) throws -> Claim {
    let claimant = Claimant(
      process: ProcessTable.current(boot: clock.boot), incarnation: try SharedContainer.newIncarnation(),
      reason: "test", bootClock: clock.bootClock, wallClockNanoseconds: 0)
    guard case .claimed(let claim, _) = container.claim(seen: 0, by: claimant, reading: { _ in () }) else {
      throw SystemError("claim", code: EBUSY)
    }
    return claim
  }

  private func write(_ waiting: [Bytes32]?, _ now: BootMoment, _ container: SharedContainer, _ claim: Claim) {
    let change = NodeChange(waiting: waiting)
    let result = container.fencedWrite(
      under: claim, what: WalletStore.summary(of: change), atMonotonic: clock.now
    ) { writer in
      try WalletStore.apply(change, epoch: claim.epoch, wallClockNanoseconds: 0, at: now, to: writer)
    }
    guard case .written = result else { return #expect(Bool(false), "\(result)") }
  }

  private func read(_ now: BootMoment, _ container: SharedContainer) throws -> [WaitingParts] {
    let result = container.read { _, reader in try WalletStore.readState(reader, at: now) }
    guard case .read(let state) = result else { throw SystemError("read", code: EIO) }
    return state.waiting
  }

  @Test("A wait keeps its beginning whoever writes, until its payment is not named any more")
  func kept() throws {
    let container = try SharedContainer.open(
      "\(directory)/c", role: .app, nodeSchema: WalletSchema.migrations)
    let claim = try claim(container)
    let (one, two) = (SHA256.hash([1]), SHA256.hash([2]))
    write([one], moment(100), container, claim)
    write(nil, moment(110), container, claim)
    write([one, two], moment(120), container, claim)
    #expect(
      Set(try read(moment(130), container)) == [
        WaitingParts(paymentHash: one, waited: .seconds(30)),
        WaitingParts(paymentHash: two, waited: .seconds(10)),
      ])
    write([two], moment(140), container, claim)
    #expect(
      try read(moment(150), container) == [WaitingParts(paymentHash: two, waited: .seconds(30))])
    write([], moment(150), container, claim)
    #expect(try read(moment(150), container) == [])
  }

  @Test("Of another boot, or of a time still to come, it has no age, and begins anew with the next write")
  func anew() throws {
    let container = try SharedContainer.open(
      "\(directory)/c", role: .app, nodeSchema: WalletSchema.migrations)
    let claim = try claim(container)
    let hash = SHA256.hash([1])
    let next = BootID(high: .max, low: 3)
    write([hash], moment(100), container, claim)
    #expect(try read(moment(400, next), container) == [WaitingParts(paymentHash: hash, waited: nil)])
    #expect(try read(moment(99), container) == [WaitingParts(paymentHash: hash, waited: nil)])
    write([hash], moment(400, next), container, claim)
    #expect(
      try read(moment(407, next), container) == [WaitingParts(paymentHash: hash, waited: .seconds(7))])
    write([hash], moment(7, next), container, claim)
    #expect(try read(moment(8, next), container) == [WaitingParts(paymentHash: hash, waited: .seconds(1))])
  }

  @Test("A container of before waits were kept is opened, and has none", arguments: 1...3)
  func migrated(_ steps: Int) throws {
    let path = "\(directory)/\(steps)"
    do {
      _ = try SharedContainer.open(
        path, role: .app, nodeSchema: Array(WalletSchema.migrations.prefix(steps)))
    }
    let container = try SharedContainer.open(path, role: .app, nodeSchema: WalletSchema.migrations)
    #expect(try read(moment(5), container) == [])
    let claim = try claim(container)
    write([SHA256.hash([1])], moment(5), container, claim)
    #expect(
      try read(moment(6), container) == [
        WaitingParts(paymentHash: SHA256.hash([1]), waited: .seconds(1))
      ])
  }
}
