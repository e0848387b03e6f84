import Database
import Foundation
import Glibc
import Ground
import LightningProvider
import PostgreSQL
import Testing

@testable import LSPd

/// Which ledger a test's lspd has.
enum LedgerKind: String, Sendable {
  case sqlite, postgresql

  /// Of the test that runs.
  @TaskLocal static var current = LedgerKind.sqlite
}

extension Trait where Self == BothLedgers {
  /// The suite's tests run on SQLite, and then on PostgreSQL, if a server is installed.
  static var bothLedgers: Self { Self() }
}

struct BothLedgers: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await body() }
    try await body()
    guard TestServer.programs != nil, !test.tags.contains(.fileOnly) else { return }
    try await LedgerKind.$current.withValue(.postgresql) { try await body() }
  }
}

extension Tag {
  /// The test is about the file itself.
  @Tag static var fileOnly: Self
}

/// A ledger of the test's kind, of one lspd, without that lspd.
struct TestLedger {
  private let directory: String
  private let url: String?
  let ledger: Ledger

  init(_ directory: String) throws {
    self.directory = directory
    guard LedgerKind.current == .postgresql else {
      url = nil
      ledger = try Ledger(path: "\(directory)/ledger.sqlite")
      return
    }
    let url = try TestServer.shared.get().newDatabase()
    self.url = url
    ledger = try Ledger(url: url)
    let now = Instant(nanoseconds: 1)
    let run = try ledger.beginRun(at: now, wallNanoseconds: 0, isLegacy: false)
    try ledger.share?.join(run: run, home: directory, boot: BootID(high: 1, low: 1))
    try ledger.share?.lease(.own, at: now)
  }

  /// As the next start reads it.
  func again() throws -> Ledger {
    try url.map { try Ledger(url: $0) } ?? Ledger(path: "\(directory)/ledger.sqlite")
  }

  /// Refuses rows of the table until the closure that it returns is called.
  func refuseRows(of table: String) throws -> () throws -> Void {
    let database = ledger.database
    guard let server = database as? PostgreSQLConnection else {
      try database.script(
        "CREATE TRIGGER refuse BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
      return { try database.script("DROP TRIGGER refuse") }
    }
    try server.execute("ALTER TABLE \(table) ADD CONSTRAINT refuse CHECK (false) NOT VALID", [])
    return { try server.execute("ALTER TABLE \(table) DROP CONSTRAINT refuse", []) }
  }
}

/// What a query finds in a database, as in a file.
func rows(of sql: String, in url: String) throws -> [Row] {
  let path = FileManager.default.temporaryDirectory.appending(path: "baton-copy-\(UUID().uuidString)").path
  defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
  let copy = try Connection(path: path, access: .create)
  try PostgreSQLConnection(url: url, application: "test").copy(toScratch: copy)
  return try copy.rows(sql)
}

extension LedgerDatabase {
  func rows(_ sql: String) throws -> [Row] { try rows(sql, []) }
}
