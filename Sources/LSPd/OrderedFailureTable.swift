import Platform
import Ground
import LightningProvider

/// Failures on order, for each wallet's payments; a wallet's newest order counts.
enum OrderedFailureTable {
  static func write(
    _ change: LedgerChange, of wallet: WalletNumber, at now: Instant, to database: Connection
  ) throws {
    switch change {
    case .failuresOrdered(let order):
      try database.execute(
        "INSERT INTO ordered_failures(at_ns, code, times, left, wallet) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(now.nanoseconds), .integer(Int64(order.code)), try .unsigned(order.left),
          try .unsigned(order.left), .integer(wallet.value),
        ])
    case .orderedFailureUsed:
      try database.execute(
        """
        UPDATE ordered_failures SET left = left - 1
        WHERE id = (SELECT max(id) FROM ordered_failures WHERE wallet = ?) AND left > 0
        """, [.integer(wallet.value)])
    default: break
    }
  }

  static func read(_ database: Connection, of wallet: WalletNumber = .own) throws -> OrderedFailures? {
    guard
      let row = try database.firstRow(
        "SELECT code, left FROM ordered_failures WHERE wallet = ? ORDER BY id DESC LIMIT 1",
        [.integer(wallet.value)])
    else { return nil }
    guard let code = UInt16(exactly: try row.integer(0)) else {
      throw LedgerError.unreadable("an ordered failure has no code of BOLT 4")
    }
    let left = try row.unsigned(1)
    return left > 0 ? OrderedFailures(code: code, times: left) : nil
  }
}
