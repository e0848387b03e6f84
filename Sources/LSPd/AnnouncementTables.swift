import LightningIO
import Ground
import Crypto
import Platform
import LightningProvider

/// Each wallet's push keys, the newest of which counts, and the ended holds that it is told of.
enum AnnouncementTables {
  static func write(
    _ change: LedgerChange, of wallet: WalletNumber, at now: Instant, to database: Connection
  ) throws {
    let at = SQLValue.integer(now.nanoseconds)
    let number = SQLValue.integer(wallet.value)
    switch change {
    case .pushKey(let key):
      try database.execute(
        "INSERT INTO push_keys(at_ns, key, wallet) VALUES (?, ?, ?)", [at, .blob(key.bytes), number])
    case .holdEnded(let hash):
      // A hash that failed once more moves to the end.
      try forget(hash, at, number, database)
      try database.execute(
        "INSERT INTO ended_holds(payment_hash, ended_at_ns, wallet) VALUES (?, ?, ?)",
        [.blob(hash.bytes), at, number])
    case .endedHoldForgotten(let hash): try forget(hash, at, number, database)
    default: break
    }
  }

  private static func forget(
    _ hash: Bytes32, _ at: SQLValue, _ wallet: SQLValue, _ database: Connection
  ) throws {
    try database.execute(
      """
      UPDATE ended_holds SET forgotten_at_ns = ?
      WHERE wallet = ? AND payment_hash = ? AND forgotten_at_ns IS NULL
      """, [at, wallet, .blob(hash.bytes)])
  }

  static func readPushKey(_ database: Connection, of wallet: WalletNumber = .own) throws -> PublicKey? {
    let newest = try database.firstRow(
      "SELECT key FROM push_keys WHERE wallet = ? ORDER BY id DESC LIMIT 1", [.integer(wallet.value)])
    guard let row = newest else { return nil }
    guard let key = PublicKey(try row.blob(0)) else {
      throw LedgerError.unreadable("the push key is no point of the curve")
    }
    return key
  }

  static func readEndedHolds(
    _ database: Connection, of wallet: WalletNumber = .own
  ) throws -> EndedHolds? {
    let hashes = try database.rows(
      "SELECT payment_hash FROM ended_holds WHERE wallet = ? AND forgotten_at_ns IS NULL ORDER BY id",
      [.integer(wallet.value)]
    ).map { try $0.bytes32(0) }
    return hashes.isEmpty ? nil : EndedHolds(hashes)
  }
}
