import Crypto
import Database
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import Testing
import WalletStore

/// A container that an older program has left, with a payment under way.
@Suite("A container from before payments came in parts")
final class OlderDatabaseTests {
  private let directory: String
  private let clock = Clock()

  init() throws {
    var template = Array("/tmp/baton-older-XXXXXX".utf8CString)
    directory = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  private var now: BootMoment { BootMoment(boot: clock.boot, clock: clock.bootClock) }

  private func claim(_ container: SharedContainer, seen: Epoch) throws -> (Claim, NodeState) {
    let claimant = Claimant(
      process: ProcessTable.current(boot: clock.boot), incarnation: try SharedContainer.newIncarnation(),
      reason: "test", bootClock: clock.bootClock, wallClockNanoseconds: 0)
    guard
      case .claimed(let claim, let state) = container.claim(
        seen: seen, by: claimant, reading: { try WalletStore.readState($0, at: now) })
    else { throw SystemError("claim", code: EBUSY) }
    return (claim, state)
  }

  /// A wallet with one part in its channel.
  private func channel(_ data: PaymentData?) throws -> Channel {
    var peer = try Channel(id: SHA256.hash([1]), localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: SHA256.hash([1]), localMsat: 0, remoteMsat: 5000, isOpener: false)
    let hello = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(hello)
    _ = try peer.offer(
      amountMsat: 1000, paymentHash: SHA256.hash([2]), cltvExpiry: 700, paymentData: data)
    for case .message(let message) in peer.takeOutgoing() { _ = try wallet.receive(message) }
    return wallet
  }

  @Test("is opened with its payments as they were, and keeps from then on what parts say")
  func migrated() throws {
    let old = [WalletSchema.migrations[0]]
    let before = try channel(nil)
    do {
      let container = try SharedContainer.open("\(directory)/c", role: .app, nodeSchema: old)
      let database = try Connection(path: container.layout.database, access: .readWrite)
      try insert(before.record, into: database)
    }
    let container = try SharedContainer.open(
      "\(directory)/c", role: .app, nodeSchema: WalletSchema.migrations)
    let (first, state) = try claim(container, seen: 0)
    #expect(state.channel?.record == before.record)
    var after = try channel(PaymentData(secret: SHA256.hash([3]), totalMsat: .max)).record
    after.revision = before.revision + 1
    let change = NodeChange(channel: try Channel(restoring: after))
    let result = container.fencedWrite(under: first, what: "test", atMonotonic: clock.now) { writer in
      try WalletStore.apply(change, epoch: first.epoch, wallClockNanoseconds: 0, at: now, to: writer)
    }
    guard case .written = result else { return #expect(Bool(false), "\(result)") }
    #expect(try claim(container, seen: 1).1.channel?.record == after)
  }

  /// As the older program did.
  private func insert(_ record: ChannelRecord, into database: Connection) throws {
    try database.execute(
      "INSERT INTO channels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(record.id.bytes), 0, .bits(record.localMsat), .bits(record.remoteMsat),
        .bits(record.localCommitmentNumber), .bits(record.remoteCommitmentNumber),
        .bits(record.revocationsSent), .bits(record.revocationsReceived),
        .blob(record.lastReceivedSecret.bytes), .bits(record.nextOfferedID), .bits(record.nextReceivedID),
        .integer(record.sentRevocationLast ? 1 : 0), .bits(record.revision),
      ])
    for htlc in record.htlcs {
      try database.execute(
        "INSERT INTO htlcs VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)",
        [
          .blob(record.id.bytes), .text("\(htlc.direction)"), .bits(htlc.id), .bits(htlc.amountMsat),
          .blob(htlc.paymentHash.bytes), .integer(Int64(htlc.cltvExpiry)), .text("\(htlc.state)"),
        ])
    }
  }
}
