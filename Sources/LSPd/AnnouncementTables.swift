import ChannelStore
import Ground
import Crypto
import Database
import LightningProvider

/// The wallet's push keys, the newest of which counts, and the ended holds that the wallet is told of.
enum AnnouncementTables {
  static func write(_ change: LedgerChange, at now: Instant, to database: Connection) throws {
    let at = SQLValue.integer(now.nanoseconds)
    switch change {
    case .pushKey(let key):
      try database.execute("INSERT INTO push_keys(at_ns, key) VALUES (?, ?)", [at, .blob(key.bytes)])
    case .holdEnded(let hash):
      // A hash that failed once more moves to the end.
      try forget(hash, at, database)
      try database.execute(
        "INSERT INTO ended_holds(payment_hash, ended_at_ns) VALUES (?, ?)", [.blob(hash.bytes), at])
    case .endedHoldForgotten(let hash): try forget(hash, at, database)
    default: break
    }
  }

  private static func forget(_ hash: Bytes32, _ at: SQLValue, _ database: Connection) throws {
    try database.execute(
      "UPDATE ended_holds SET forgotten_at_ns = ? WHERE payment_hash = ? AND forgotten_at_ns IS NULL",
      [at, .blob(hash.bytes)])
  }

  static func readPushKey(_ database: Connection) throws -> PublicKey? {
    guard let row = try database.firstRow("SELECT key FROM push_keys ORDER BY id DESC LIMIT 1") else {
      return nil
    }
    guard let key = PublicKey(try row.blob(0)) else {
      throw LedgerError.unreadable("the push key is no point of the curve")
    }
    return key
  }

  static func readEndedHolds(_ database: Connection) throws -> EndedHolds? {
    let hashes = try database.rows(
      "SELECT payment_hash FROM ended_holds WHERE forgotten_at_ns IS NULL ORDER BY id"
    ).map { try $0.bytes32(0) }
    return hashes.isEmpty ? nil : EndedHolds(hashes)
  }
}
