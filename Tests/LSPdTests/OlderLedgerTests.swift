import Ground
import Crypto
import Database
import Foundation
import Glibc
import LightningChannel
import LightningProvider
import Testing

@testable import LSPd

/// A ledger of before there could be several wallets.
@Suite("A ledger of one wallet at a newer lspd") final class OlderLedgerTests {
  private let directory: String
  private var path: String { "\(directory)/ledger.sqlite" }
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let node = PrivateKey(SHA256.hash([1]))!.publicKey
  private let hash = SHA256.hash([2])

  init() throws {
    var template = Array("/tmp/baton-ledger-XXXXXX".utf8CString)
    directory = String(cString: try #require(mkdtemp(&template)))
    let older = try Connection(path: path, access: .create)
    try older.migrate(steps: Array(LedgerSchema.steps.prefix(11)))
    let container = String(repeating: "07", count: 16)
    try older.script(
      """
      INSERT INTO runs(started_at_ns, started_wall_ns, pid, legacy) VALUES (1, 1, 1, 0);
      INSERT INTO connections(id, opened_at_ns, opened_wall, verdict, node) VALUES
        (1, 1, 1, 'visitor', x'\(PrivateKey(SHA256.hash([9]))!.publicKey.hex)'),
        (2, 1, 1, 'accepted', x'\(node.hex)');
      INSERT INTO frames(connection, direction, at_ns, bytes, acted) VALUES (2, 'in', 1, x'0010', 1);
      INSERT INTO fence(epoch, incarnation, container, at_ns) VALUES (3, 4, x'\(container)', 1);
      INSERT INTO payments(id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, held_at_ns)
        VALUES (1, x'\(hash.hex)', 1000, 'held', 1, 9000000000, 1);
      INSERT INTO payments(id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, htlc,
        offered_at_ns, settled_at_ns, preimage)
        VALUES (2, x'\(SHA256.hash([3]).hex)', 1000, 'paid', 1, 1, 0, 1, 1, x'\(SHA256.hash([4]).hex)');
      INSERT INTO backups(at_ns, connection, blob) VALUES (1, 2, x'0102');
      INSERT INTO channel VALUES (1, x'\(SHA256.hash([5]).hex)', 1, 8000, 2000, 0, 0, 0, 0,
        x'\(Bytes32.zero.hex)', 1, 0, 1, 7, NULL, NULL);
      INSERT INTO htlcs VALUES ('offered', 0, 500, x'\(hash.hex)', 40, 'sentAddAckRevocation', NULL, NULL, NULL,
        NULL, NULL);
      INSERT INTO pushes(at_ns, reason, payment_hash, attempts, outcome, is_open)
        VALUES (1, 'IncomingPayment', x'\(hash.hex)', 1, 'iosd-away', 1);
      INSERT INTO push_keys(at_ns, key) VALUES (1, x'\(node.hex)');
      INSERT INTO ended_holds(payment_hash, ended_at_ns) VALUES (x'\(hash.hex)', 1);
      INSERT INTO ordered_failures(at_ns, code, times, left) VALUES (1, 4108, 3, 2);
      INSERT INTO channel_failures(at_ns, connection, reason) VALUES (1, 2, 'wrong secret');
      """)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  @Test func `All that it has is the first wallet's`() throws {
    let ledger = try Ledger(path: path)
    let state = try ledger.readState(newChannel: .zero, at: now)
    #expect(state.wallet == node)
    #expect(
      state.fence
        == Claim(
          epoch: 3, incarnation: 4,
          container: ContainerID(high: 0x0707_0707_0707_0707, low: 0x0707_0707_0707_0707)))
    #expect(state.payments.map(\.request.paymentHash) == [hash])
    #expect(state.paidHashes == [SHA256.hash([3])])
    #expect(state.backup == [1, 2])
    #expect(state.channel.id == SHA256.hash([5]))
    #expect(state.channel.localMsat == 8000)
    #expect(state.channel.htlcs.map(\.amountMsat) == [500])
    #expect(state.failure == "wrong secret")
    #expect(state.orderedFailures == OrderedFailures(code: 4108, times: 2))
    #expect(state.pushKey == node)
    #expect(state.endedHolds?.paymentHashes == [hash])
    #expect(try ledger.readOpenPushes().map(\.id) == [1])
    #expect(try ledger.wallet(of: node) == .own)
    #expect(try ledger.walletCount() == 1)
    #expect(try ledger.dueWallets() == [.own])
  }

  @Test func `A second wallet of it begins with nothing, and neither sees the other's rows`() throws {
    let ledger = try Ledger(path: path)
    let second = WalletNumber(2)
    let other = try #require(PrivateKey(SHA256.hash([7]))).publicKey
    try ledger.begin(second, of: other)
    let own = try ledger.readState(newChannel: .zero, at: now)
    let state = try ledger.readState(of: second, newChannel: SHA256.hash([8]), at: now)
    #expect(state.wallet == other)
    #expect(state.channel.id == SHA256.hash([8]))
    #expect(state.payments.isEmpty && state.paidHashes.isEmpty && state.channel.htlcs.isEmpty)
    #expect(state.fence == nil && state.backup == nil && state.pushKey == nil && state.failure == nil)
    #expect(state.endedHolds == nil && state.orderedFailures == nil)
    #expect(try ledger.readOpenPushes(of: second).isEmpty)
    let request = PaymentRequest(id: 3, paymentHash: hash, amountMsat: 5, holdUntil: now)
    try ledger.commit([
      LedgerStep(
        wallet: second, at: now, wallNanoseconds: 0,
        changes: [
          .paymentHeld(request), .channel(StoredChannel(state.channel)), .backup(connection: 3, [9]),
          .failuresOrdered(OrderedFailures(code: 4099, times: 1)), .orderedFailureUsed,
          .pushKey(other), .endedHoldForgotten(paymentHash: hash), .channelFailed(connection: 3, "mine"),
          .fence(Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 1, low: 1))),
        ], pushes: [PushRequest(reason: .incomingPayment, paymentHash: hash)])
    ])
    #expect(try ledger.readState(newChannel: .zero, at: now) == own)
    #expect(try ledger.readOpenPushes().count == 1)
    #expect(try ledger.dueWallets() == [.own, second])
    let again = try ledger.readState(of: second, newChannel: .zero, at: now)
    #expect(again.payments.map(\.request) == [request])
    #expect((again.backup, again.pushKey, again.failure, again.fence?.epoch) == ([9], other, "mine", 1))
  }

  @Test func `No query of one wallet reads the rows of all`() throws {
    let ledger = try Ledger(path: path)
    for sql in [
      "SELECT id FROM wallets WHERE node = ?",
      "SELECT * FROM payments WHERE wallet = ? AND state IN ('held', 'offered')",
      "SELECT blob FROM backups WHERE wallet = ? ORDER BY revision DESC LIMIT 1",
      "SELECT epoch FROM fence WHERE wallet = ? ORDER BY id DESC LIMIT 1",
      "SELECT id FROM pushes WHERE wallet = ? AND is_open = 1", "SELECT * FROM channel WHERE wallet = ?",
      "SELECT * FROM htlcs WHERE wallet = ?",
      "SELECT key FROM push_keys WHERE wallet = ? ORDER BY id DESC LIMIT 1",
      "SELECT code FROM ordered_failures WHERE wallet = ? ORDER BY id DESC LIMIT 1",
      "SELECT * FROM frames WHERE wallet = 2 AND wallet <> 1",
      "UPDATE connections SET closed_at_ns = 1 WHERE closed_at_ns IS NULL",
    ] {
      let plan = try ledger.database.rows(
        "EXPLAIN QUERY PLAN \(sql.replacingOccurrences(of: "?", with: "2"))"
      ).map { try $0.text(3) }
      #expect(
        plan.allSatisfy {
          $0.hasPrefix("SEARCH") || $0.contains("USING INDEX") || $0.contains("USING COVERING")
        }, "\(sql): \(plan)")
    }
  }
}
