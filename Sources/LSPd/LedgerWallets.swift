import Crypto
import Platform
import Ground
import LightningProvider

/// The wallets, one row each: that of lspd's own phone, and those of the other phones in the order in which they came.
extension Ledger {
  func wallets() throws -> [WalletNumber] {
    try database.rows("SELECT id FROM wallets ORDER BY id", []).map { WalletNumber(try $0.integer(0)) }
  }

  func wallet(of node: PublicKey) throws -> WalletNumber? {
    try database.firstRow("SELECT id FROM wallets WHERE node = ?", [.blob(node.bytes)]).map {
      WalletNumber(try $0.integer(0))
    }
  }

  func node(of wallet: WalletNumber) throws -> PublicKey? {
    let row = try database.firstRow("SELECT node FROM wallets WHERE id = ?", [.integer(wallet.value)])
    guard let bytes = try row?.optionalBlob(0) else { return nil }
    guard let node = PublicKey(bytes) else {
      throw LedgerError.unreadable("the node of a wallet is no point of the curve")
    }
    return node
  }

  /// The first accepted connection names the wallet for good.
  func nameWallet(_ wallet: WalletNumber, by connection: UInt64) throws {
    try database.execute(
      """
      UPDATE wallets SET node = (SELECT node FROM connections WHERE id = ?) WHERE id = ? AND node IS NULL
      """, [.bits(connection), .integer(wallet.value)])
  }

  func name(_ wallet: WalletNumber, _ node: PublicKey) throws {
    try database.execute(
      "UPDATE wallets SET node = ? WHERE id = ? AND node IS NULL",
      [.blob(node.bytes), .integer(wallet.value)])
  }

  /// The directories of the phones that were served.
  func phones() throws -> [String] {
    try database.rows("SELECT home FROM wallets WHERE home IS NOT NULL ORDER BY id", []).map {
      try $0.text(0)
    }
  }

  /// A phone that lspd meets for the first time gets a wallet.
  func wallet(ofPhone home: String) throws -> WalletNumber {
    try database.execute("INSERT INTO wallets(home) VALUES (?) ON CONFLICT (home) DO NOTHING", [.text(home)])
    guard let row = try database.firstRow("SELECT id FROM wallets WHERE home = ?", [.text(home)]) else {
      throw LedgerError.unreadable("a phone has no wallet")
    }
    return WalletNumber(try row.integer(0))
  }
}
