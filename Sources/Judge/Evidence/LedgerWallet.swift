/// A wallet of the ledger.
struct LedgerWallet {
  let number: Int64
  /// Nil until its node has been accepted.
  let node: [UInt8]?

  /// None in a ledger of before there could be several.
  static func all(_ file: SQLiteFile?) throws(JudgeError) -> [LedgerWallet] {
    guard let file, try file.tables().contains("wallets") else { return [] }
    return try file.entries(of: "wallets", orderedBy: "id") { (row) throws(JudgeError) in
      LedgerWallet(number: try row.integer("id"), node: try row.optionalBlob("node"))
    }
  }
}
