import Crypto
import Database
import Ground
import LightningProvider

/// The wallets, one row each, in the order in which they came.
extension Ledger {
  func walletCount() throws -> Int {
    Int(clamping: try database.firstRow("SELECT max(id) FROM wallets")?.optionalInteger(0) ?? 1)
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

  /// Of the connections the first that was accepted names the wallet for good. The update would wait for an lspd that
  /// begins a wallet, so that only a wallet without a name has one.
  func nameWallet(_ wallet: WalletNumber, by connection: UInt64) throws {
    let isNameless = try database.firstRow(
      "SELECT 1 FROM wallets WHERE id = ? AND node IS NULL", [.integer(wallet.value)])
    guard isNameless != nil else { return }
    try database.execute(
      """
      UPDATE wallets SET node = (SELECT node FROM connections WHERE id = ?) WHERE id = ? AND node IS NULL
      """, [.bits(connection), .integer(wallet.value)])
  }

  func wallet(ofPhone home: String) throws -> WalletNumber? {
    try database.firstRow("SELECT id FROM wallets WHERE home = ?", [.text(home)]).map {
      WalletNumber(try $0.integer(0))
    }
  }

  /// The directories of the phones that were served.
  func phones() throws -> [String] {
    try database.rows("SELECT home FROM wallets WHERE home IS NOT NULL ORDER BY id", []).map {
      try $0.text(0)
    }
  }

  func wallet(ofPayment id: UInt64) throws -> WalletNumber {
    let row = try database.firstRow("SELECT wallet FROM payments WHERE id = ?", [try .unsigned(id)])
    return try row.map { WalletNumber(try $0.integer(0)) } ?? .own
  }

  func begin(_ wallet: WalletNumber, ofPhone home: String) throws {
    try database.execute(
      "INSERT INTO wallets(id, home) VALUES (?, ?)", [.integer(wallet.value), .text(home)])
  }

  func name(_ wallet: WalletNumber, _ node: PublicKey) throws {
    try atomicallyIfShared(wallet) {
      try database.execute(
        "UPDATE wallets SET node = ? WHERE id = ? AND node IS NULL",
        [.blob(node.bytes), .integer(wallet.value)])
    }
  }

  func begin(_ wallet: WalletNumber, of node: PublicKey) throws {
    try database.execute(
      "INSERT INTO wallets(id, node) VALUES (?, ?)", [.integer(wallet.value), .blob(node.bytes)])
  }

  /// The socket of the iosd that gets the wallet's pushes; nil: none is registered.
  func phoneSocket(of wallet: WalletNumber) throws -> String? {
    try database.firstRow("SELECT phone_socket FROM wallets WHERE id = ?", [.integer(wallet.value)])?
      .optionalText(0)
  }

  func register(_ socket: String?, of wallet: WalletNumber) throws {
    try atomicallyIfShared(wallet) {
      try database.execute(
        "UPDATE wallets SET phone_socket = ? WHERE id = ?",
        [socket.map { .text($0) } ?? .null, .integer(wallet.value)])
    }
  }

  /// The wallet of the phone that lspd was started with. In a shared ledger the first lspd has the first wallet, and
  /// each other one of its own, found again by its directory.
  func ownWallet(home: String, at now: Instant) throws -> WalletNumber {
    guard let share else { return .own }
    return try database.atomically {
      try share.lockWallets(at: now)
      if let kept = keptWallet { return kept }
      if let known = try wallet(ofPhone: home) { return known }
      try database.execute("UPDATE wallets SET home = ? WHERE id = 1 AND home IS NULL", [.text(home)])
      if let first = try wallet(ofPhone: home) { return first }
      let next = WalletNumber(Int64(try walletCount()) + 1)
      try begin(next, ofPhone: home)
      return next
    }
  }

  /// The directory may have been moved. With the lease, as it may also be a copy of a running lspd's.
  func keepHome(_ home: String, of own: WalletNumber) throws {
    guard share != nil else { return }
    try atomicallyIfShared(own) {
      try database.execute("UPDATE wallets SET home = ? WHERE id = ?", [.text(home), .integer(own.value)])
    }
  }

  /// Decides about a new wallet with the number of those that there are, which no other lspd changes meanwhile.
  func allocating<Result>(at now: Instant, _ body: (_ count: Int) throws -> Result) throws -> Result {
    try database.atomically {
      try share?.lockWallets(at: now)
      return try body(try walletCount())
    }
  }

  /// The wallets of which something is due without a connection: the end of a hold, a push, a call to a webhook, the
  /// arrival of an outgoing payment. From indexes that have no rows of the others.
  /// In a shared ledger only those that no lspd serves.
  func dueWallets() throws -> [WalletNumber] {
    try database.rows(
      """
      SELECT wallet FROM (
        SELECT wallet FROM payments WHERE state IN ('held', 'offered')
        UNION SELECT wallet FROM pushes WHERE is_open = 1
        UNION SELECT wallet FROM webhook_calls WHERE is_open = 1
        UNION SELECT wallet FROM htlcs
      ) AS due \(share == nil ? "" : "WHERE \(LedgerShare.dueAlone)") ORDER BY wallet
      """, []
    ).map { WalletNumber(try $0.integer(0)) }
  }
}
