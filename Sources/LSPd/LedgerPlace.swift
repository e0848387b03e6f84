import DaemonRuntime
import Glibc
import LightningProvider
import PostgreSQL

/// Where the ledger is: a file of the home, or a database of PostgreSQL. The home remembers the database's URL, with the
/// number of its own wallet in it, so that neither a start without the option nor the judge takes a new ledger for the
/// old one.
struct LedgerPlace {
  struct Kept: Equatable {
    var url: String
    var wallet: WalletNumber?

    var bytes: [UInt8] { Array("\(url)\n\(wallet.map { "\($0.value)\n" } ?? "")".utf8) }
  }

  let path: String

  static func open(_ options: ProviderOptions) throws -> Ledger {
    let place = LedgerPlace(path: options.ledgerPlace)
    let kept = try SmallFile.readOwn(place.path, limit: 4096).map { bytes in
      guard let kept = parse(bytes) else { throw LedgerError.badPlace(place.path) }
      return kept
    }
    guard let url = options.ledgerURL ?? kept?.url else {
      try Ledger.check(path: options.ledger)
      return try Ledger(path: options.ledger)
    }
    guard access(options.ledger, F_OK) != 0 else { throw LedgerError.hasFile(options.ledger) }
    if let kept, let wallet = kept.wallet, kept.url != url {
      guard try knows(url, absolute(options.home), as: wallet) else {
        throw LedgerError.otherDatabase(kept.url)
      }
    }
    return try Ledger(url: url, keptIn: place, wallet: kept?.wallet)
  }

  /// Before a table is made in it.
  private static func knows(_ url: String, _ home: String, as wallet: WalletNumber) throws -> Bool {
    let database = try PostgreSQLConnection(url: url, application: "lspd")
    let isLedger = try database.firstRow(
      """
      SELECT 1 FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name = 'ledger_schema'
      """)
    guard isLedger != nil else { return false }
    return try database.firstRow(
      "SELECT 1 FROM wallets WHERE id = ? AND home = ?", [.integer(wallet.value), .text(home)]) != nil
  }

  static func parse(_ bytes: [UInt8]) -> Kept? {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard let url = lines.first, PostgreSQLConnection.isURL(url) else { return nil }
    return Kept(url: url, wallet: lines.dropFirst().first.flatMap { Int64($0) }.map { WalletNumber($0) })
  }

  func keep(_ url: String, wallet: WalletNumber) throws(SystemError) {
    try PlainFile.replace(path, with: Kept(url: url, wallet: wallet).bytes, syncs: true)
  }

  /// As other lspd of the machine name it.
  static func absolute(_ home: String) -> String {
    guard let path = realpath(home, nil) else { return home }
    defer { free(path) }
    return String(cString: path)
  }
}
