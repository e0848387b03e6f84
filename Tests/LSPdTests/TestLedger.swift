@testable import LSPd

/// A ledger without its lspd.
struct TestLedger {
  private let path: String
  let ledger: Ledger

  init(_ directory: String) throws {
    path = "\(directory)/ledger.sqlite"
    ledger = try Ledger(path: path)
  }

  /// As the next start reads it.
  func again() throws -> Ledger { try Ledger(path: path) }

  /// Refuses rows of the table until the closure that it returns is called.
  func refuseRows(of table: String) throws -> () throws -> Void {
    let database = ledger.database
    try database.script(
      "CREATE TRIGGER refuse BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
    return { try database.script("DROP TRIGGER refuse") }
  }
}
