import LightningProvider
import PostgreSQL
import Testing

@testable import LSPd

@Suite("The SQL of a shared ledger") struct DialectTests {
  @Test func `A URL with a password, and one that is none, are refused`() {
    guard PostgreSQLConnection.isBuilt else { return }
    for (url, error) in [
      ("postgresql://me:secret@localhost/ledger", PostgreSQLError.passwordInURL),
      ("postgresql:///ledger?password=secret", .passwordInURL), ("ledger.sqlite", .badURL),
      ("postgresql://[", .badURL),
    ] {
      #expect(throws: error, "\(url)") { try PostgreSQLConnection.check(url) }
    }
    #expect(throws: Never.self) { try PostgreSQLConnection.check("postgres://me@localhost:5433/ledger") }
  }

  @Test func `The place of a ledger is read back, and anything else is none`() {
    #expect(
      LedgerPlace.parse(Array("postgresql://me@/one\n3\n".utf8))
        == .init(url: "postgresql://me@/one", wallet: WalletNumber(3)))
    #expect(LedgerPlace.parse(Array("".utf8)) == nil)
    #expect(LedgerPlace.parse(Array("ledger.sqlite\n".utf8)) == nil)
    #expect(LedgerPlace.parse(Array("postgresql://me@/one".utf8))?.wallet == nil)
  }
}
