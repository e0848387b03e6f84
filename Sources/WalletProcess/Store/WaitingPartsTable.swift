import LightningIO
import Ground
import Platform
import Wallet
import SharedContainer

/// Since when incomplete payments wait for their missing parts. A row lasts as long as the wait, under any owner.
enum WaitingPartsTable {
  static func read(_ reader: NodeReader, at now: BootMoment) throws -> [WaitingParts] {
    try reader.rows(
      "SELECT payment_hash, boot_high, boot_low, first_boot_ns FROM waiting_parts ORDER BY payment_hash"
    ).map { row in
      WaitingParts(paymentHash: try row.bytes32(0), waited: now.since(try moment(row)))
    }
  }

  /// Replaces the set of waiting payments. A start that is not comparable with now begins again.
  static func write(_ hashes: [Bytes32], at now: BootMoment, _ writer: NodeWriter) throws {
    let stored = try writer.rows("SELECT payment_hash, boot_high, boot_low, first_boot_ns FROM waiting_parts")
    for row in stored where try !hashes.contains(row.bytes32(0)) || now.since(moment(row)) == nil {
      try writer.execute(
        "DELETE FROM waiting_parts WHERE payment_hash = ?", [.blob(try row.bytes32(0).bytes)])
    }
    for hash in hashes {
      try writer.execute(
        """
        INSERT OR IGNORE INTO waiting_parts (payment_hash, boot_high, boot_low, first_boot_ns)
        VALUES (?, ?, ?, ?)
        """,
        [
          .blob(hash.bytes), .bits(now.boot.high), .bits(now.boot.low), .integer(now.clock.nanoseconds),
        ])
    }
  }

  private static func moment(_ row: Row) throws -> BootMoment {
    BootMoment(
      boot: BootID(high: try row.bits(1), low: try row.bits(2)),
      clock: Instant(nanoseconds: try row.integer(3)))
  }
}
