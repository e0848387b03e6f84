import Platform
import Glibc
import TestKit

@Suite struct DatabaseTests {
  let place = TemporaryDirectory()

  private func opened(_ access: Connection.Access = .create) throws -> Connection {
    try Connection(path: place("test.sqlite"), access: access)
  }

  private func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
    do { try body() } catch { return (error as? DatabaseError)?.kind }
    return nil
  }

  @Test func `A value of each type is read as it was bound`() throws {
    let connection = try opened()
    let values: [SQLValue] = [
      .null, .integer(.min), .integer(.max), .real(1.5), .text(""), .text("ä\u{0}b"), .blob([]),
      .blob([0, 255]),
      .bits(.max),
    ]
    try connection.execute("CREATE TABLE t (v)")
    for value in values { try connection.execute("INSERT INTO t VALUES (?)", [value]) }
    expect(try connection.rows("SELECT v FROM t").map { try $0.value(0) }, is: values)
    expect(try connection.rows("SELECT v FROM t").last?.bits(0), is: UInt64.max)
  }

  @Test func `A connection uses a WAL with synchronous=FULL, and no busy timeout`() throws {
    let connection = try opened()
    expect(try connection.firstRow("PRAGMA journal_mode")?.text(0), is: "wal")
    expect(try connection.firstRow("PRAGMA synchronous")?.integer(0), is: 2)
    expect(try connection.firstRow("PRAGMA fullfsync")?.integer(0), is: 1)
    expect(try connection.firstRow("PRAGMA checkpoint_fullfsync")?.integer(0), is: 1)
    expect(try connection.firstRow("PRAGMA foreign_keys")?.integer(0), is: 1)
    expect(try connection.firstRow("PRAGMA trusted_schema")?.integer(0), is: 0)
    expect(try connection.firstRow("PRAGMA mmap_size")?.integer(0), is: 0)
    expect(try connection.firstRow("PRAGMA busy_timeout")?.integer(0), is: 0)
  }

  @Test func `A number above Int64.max is refused`() {
    expect(kind { _ = try SQLValue.unsigned(UInt64(Int64.max) + 1) }, is: .outOfRange)
  }

  @Test
  func `Reading a value as another type, or a missing column, is an error, and invalid UTF-8 is replaced`()
    throws
  {
    let connection = try opened()
    let row = try #require(try connection.firstRow("SELECT 'x', -1, 5000000000, CAST(x'ff' AS TEXT)"))
    expect(kind { _ = try row.integer(0) }, is: .wrongValue)
    expect(kind { _ = try row.unsigned(1) }, is: .wrongValue)
    expect(kind { _ = try row.int32(2) }, is: .wrongValue)
    expect(try row.text(3), is: "\u{FFFD}")
    expect(kind { _ = try row.integer(9) }, is: .wrongValue)
    expect(kind { _ = try row.integer(-1) }, is: .wrongValue)
  }

  @Test func `A second write transaction fails as busy at once`() throws {
    let first = try opened()
    let second = try opened(.readWrite)
    try first.transaction(.immediate) {
      expect(kind { try second.transaction(.immediate) {} }, is: .busy)
    }
    try second.transaction(.immediate) {}
  }

  @Test func `An error thrown in the body of a transaction rolls it back`() throws {
    struct Refusal: Error {}
    let connection = try opened()
    try connection.execute("CREATE TABLE t (v)")
    #expect(throws: Refusal.self) {
      try connection.transaction(.immediate) {
        try connection.execute("INSERT INTO t VALUES (1)")
        throw Refusal()
      }
    }
    #expect(!connection.isInTransaction)
    expect(try connection.firstRow("SELECT count(*) FROM t")?.integer(0), is: 0)
  }

  @Test
  func `Opening a file of another format, in a missing directory, or missing without create, is an error`()
    throws
  {
    place.write("test.sqlite", Array(repeating: 7, count: 8192))
    expect(kind { _ = try opened() }, is: .notADatabase)
    expect(
      kind { _ = try Connection(path: place("missing/x.sqlite"), access: .create) }, is: .cannotOpen)
    expect(kind { _ = try Connection(path: place("none.sqlite"), access: .readWrite) }, is: .cannotOpen)
  }

  @Test func `A damaged page is reported as corrupt`() throws {
    do {
      let connection = try opened()
      try connection.execute("CREATE TABLE t (v)")
      for _ in 0..<100 {
        try connection.execute("INSERT INTO t VALUES (?)", [.blob(Array(repeating: 1, count: 999))])
      }
    }
    place.overwrite("test.sqlite", at: 4096, Array(repeating: 0xEE, count: 60_000))
    let connection = try opened(.readWrite)
    expect(kind { _ = try connection.rows("SELECT v FROM t") }, is: .corrupt)
  }

  @Test func `A database at its page limit is reported as full`() throws {
    let connection = try opened()
    try connection.execute("CREATE TABLE t (v)")
    try connection.execute("PRAGMA max_page_count = 3")
    expect(
      kind {
        try connection.execute("INSERT INTO t VALUES (?)", [.blob(Array(repeating: 1, count: 99_999))])
      }, is: .full)
    #expect(!connection.isInTransaction)
  }

  @Test func `A read-only connection cannot write`() throws {
    try opened().execute("CREATE TABLE t (v)")
    let reader = try opened(.readOnly)
    expect(kind { try reader.execute("INSERT INTO t VALUES (1)") }, is: .readOnly)
  }

  @Test func `Each migration step runs once, in order`() throws {
    let steps = ["CREATE TABLE t (v); INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"]
    var befores: [Int64] = []
    try opened().migrate(steps: [steps[0]]) { befores.append($0) }
    try opened().migrate(steps: steps) { befores.append($0) }
    try opened().migrate(steps: steps) { befores.append($0) }
    expect(try opened().rows("SELECT v FROM t").map { try $0.integer(0) }, is: [1, 2])
    expect(try opened().schemaVersion(), is: 2)
    expect(befores, is: [0, 1])
  }

  @Test func `A migration whose step fails changes nothing`() throws {
    #expect(kind { try opened().migrate(steps: ["CREATE TABLE t (v)", "nonsense"]) } != nil)
    expect(try opened().schemaVersion(), is: 0)
    #expect(try opened().rows("SELECT name FROM sqlite_schema").isEmpty)
  }

  @Test func `A schema number below that of the tables is a wrong value, and nothing changes`() throws {
    let steps = ["CREATE TABLE t (v)", "CREATE TABLE u (v)", "CREATE TABLE w (v)"]
    try opened().migrate(steps: Array(steps.prefix(2)))
    try opened().execute("PRAGMA user_version = 1")
    expect(kind { try opened().migrate(steps: steps) }, is: .wrongValue)
    expect(try opened().rows("SELECT name FROM sqlite_schema").count, is: 2)
    expect(kind { try opened().migrate(steps: ["SELECT 1", "nonsense"]) }, is: .wrongValue)
  }

  @Test func `A newer schema is refused, and the refusal names both versions`() throws {
    try opened().execute("PRAGMA user_version = 7")
    expect(kind { try opened().migrate(steps: ["SELECT 1"]) }, is: .schemaFromTheFuture(found: 7, known: 1))
    do { try opened().migrate(steps: ["SELECT 1"]) } catch {
      #expect(
        "\(error)".hasSuffix(
          "has schema 7, this program knows 1: use the version of the program that wrote it"))
    }
  }

  @Test func `A negative schema version is refused`() throws {
    try opened().execute("PRAGMA user_version = -3")
    expect(kind { try opened().migrate(steps: ["SELECT 1"]) }, is: .wrongValue)
  }

  @Test func `A statement can run again while its rows are read`() throws {
    let connection = try opened()
    try connection.script("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)")
    var pairs = 0
    try connection.forEachRow("SELECT v FROM t") { _ in
      try connection.forEachRow("SELECT v FROM t") { _ in pairs += 1 }
    }
    expect(pairs, is: 4)
  }

  @Test(arguments: [
    "COMMIT", "ROLLBACK", "SAVEPOINT s", "PRAGMA synchronous = OFF", "ATTACH 'x' AS y", "DROP TABLE t",
    "INSERT INTO claims VALUES (1)", "insert into MAIN.CLAIMS values (1)", "UPDATE claims SET v = 1",
    "WITH w AS (SELECT 1) DELETE FROM \"Claims\"", "CREATE TABLE u (v)", "INSERT INTO w VALUES (1)",
  ])
  func
    `A statement cannot exceed the rights that it runs with, even by a trigger`(
      sql: String
    ) throws
  {
    let connection = try opened()
    try connection.script(
      """
      CREATE TABLE t (v); CREATE TABLE claims (v); CREATE TABLE w (v);
      CREATE TRIGGER around AFTER INSERT ON w BEGIN INSERT INTO claims VALUES (2); END;
      """)
    try connection.transaction(.immediate) {
      try connection.execute("INSERT INTO t VALUES (1)", rights: .changing(except: ["claims"]))
      expect(kind { try connection.execute(sql, rights: .changing(except: ["claims"])) }, is: .notAllowed)
      expect(kind { try connection.execute("INSERT INTO t VALUES (1)", rights: .reading) }, is: .notAllowed)
    }
    expect(try connection.firstRow("SELECT count(*) FROM t")?.integer(0), is: 1)
    #expect(try connection.rows("SELECT v FROM claims").isEmpty)
  }
}

extension TemporaryDirectory {
  func write(_ name: String, _ bytes: [UInt8]) {
    close(open(self(name), O_WRONLY | O_CREAT, 0o600))
    overwrite(name, at: 0, bytes)
  }

  func overwrite(_ name: String, at offset: Int, _ bytes: [UInt8]) {
    let descriptor = open(self(name), O_WRONLY)
    pwrite(descriptor, bytes, bytes.count, off_t(offset))
    close(descriptor)
  }
}
