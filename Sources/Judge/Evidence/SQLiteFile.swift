import Glibc
import Platform

/// One SQLite database in a read transaction that lasts as long as this object. No file is made beside it.
final class SQLiteFile {
  /// Far above the databases of a long run; a sparse file could have any size.
  static let sizeLimit: Int64 = 2 << 30

  /// Others have it open, and may change it meanwhile.
  let isLive: Bool
  private let connection: Connection
  private let path: String
  private let written: [[Int64]?]

  init(_ path: String) throws(JudgeError) {
    self.path = path
    isLive = LiveFiles.isInUse(path)
    written = Self.written(path)
    // A live file is opened only by SQLite: closing it elsewhere would drop SQLite's locks in this process.
    if !isLive { try Self.checkFiles(of: path) }
    let hasLog = FileStamp(path + "-wal").map { $0.size > 0 } ?? false
    do {
      connection = try Connection(
        path: path, access: isLive ? .readOnly : .alone(hasLog: hasLog), busyTimeoutMs: 5000)
      try connection.execute("PRAGMA query_only = ON")
      try connection.execute("BEGIN")
    } catch { throw Self.judged(error, path) }
  }

  /// Whether what was read is of one moment. Only for a database in use SQLite sees to that.
  var isOfOneMoment: Bool { isLive || written == Self.written(path) && !LiveFiles.isInUse(path) }

  private static func written(_ path: String) -> [[Int64]?] {
    LiveFiles.all(of: path).map { FileStamp($0)?.written }
  }

  private static func checkFiles(of database: String) throws(JudgeError) {
    for path in LiveFiles.all(of: database) where FileStamp(path) != nil {
      let file: EvidenceFile
      do throws(EvidenceFile.Problem) { file = try EvidenceFile(path) } catch {
        throw .unreadable(path: path, reason: error.words)
      }
      if file.size > sizeLimit { throw .tooLarge(path: path, bytes: file.size) }
      // SQLite would undo the transaction of another journal mode.
      if path.hasSuffix("-journal"), file.size > 0 {
        throw .foreign(path: path, reason: "it has an unfinished transaction")
      }
    }
  }

  private static func judged(_ error: any Error, _ path: String) -> JudgeError {
    guard let error = error as? DatabaseError else {
      return error as? JudgeError ?? .unreadable(path: path, reason: "\(error)")
    }
    return [.corrupt, .notADatabase, .lacksAPart].contains(error.kind)
      ? .damaged(path: path, reason: error.words) : .unreadable(path: path, reason: error.words)
  }

  private struct Named: Decodable { let name: String }

  func tables() throws(JudgeError) -> [String] {
    try rows(of: "sqlite_schema", "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      (row: Named) in row.name
    }
  }

  /// Of a ledger: only the rows of this wallet. A table without the column is of the first wallet, or of all.
  func rows<Entry: Decodable, Value>(
    of table: String, by order: String, wallet: Int64? = nil, _ make: (Entry) -> Value
  ) throws(JudgeError) -> [Value] {
    var condition = "TRUE"
    if let wallet, try hasWallets(table) {
      // The second half is what the index of the other wallets' rows needs.
      condition = "wallet = \(wallet)" + (wallet == 1 ? "" : " AND wallet <> 1")
    }
    return try rows(of: table, "SELECT * FROM \"\(table)\" WHERE \(condition) ORDER BY \(order)", make)
  }

  func rows<Entry: Decodable, Value>(
    of table: String, _ statement: String, _ make: (Entry) -> Value
  ) throws(JudgeError) -> [Value] {
    var values: [Value] = []
    try eachRow(table, statement: statement) { (row) throws(JudgeError) in
      values.append(make(try row.decoded()))
    }
    return values
  }

  func hasWallets(_ table: String) throws(JudgeError) -> Bool {
    var found = false
    try eachRow(table, statement: "PRAGMA table_info(\"\(table)\")") { (row) throws(JudgeError) in
      let column: Named = try row.decoded()
      found = found || column.name == "wallet"
    }
    return found
  }

  func eachRow(
    _ table: String, statement: String, _ take: (SQLiteRow) throws(JudgeError) -> Void
  ) throws(JudgeError) {
    var places: [String: Int]?
    do {
      try connection.forEachRow(statement) { row in
        let known = places ?? SQLiteRow.places(of: row.columns)
        places = known
        try take(SQLiteRow(path: path, table: table, places: known, cells: row.values))
      }
    } catch { throw Self.judged(error, path) }
  }
}

/// Which databases are in use, without opening them: a user of a database holds SQLite's locks on its inodes, and the
/// kernel lists those.
enum LiveFiles {
  static func all(of database: String) -> [String] { ["", "-wal", "-shm", "-journal"].map { database + $0 } }

  /// By inode alone: some file systems have another device in the kernel's list than in `stat`, and a file wrongly
  /// taken for live is merely read through SQLite.
  static func isInUse(_ database: String) -> Bool {
    let inodes = Set((Kernel.locks() ?? []).map(\.inode))
    return all(of: database).contains { path in FileStamp(path).map { inodes.contains($0.inode) } ?? false }
  }
}

/// `stat` of a file.
struct FileStamp {
  let inode: UInt64
  let size: Int64
  let modifiedNanoseconds: Int64
  let changedNanoseconds: Int64

  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    inode = UInt64(facts.st_ino)
    size = Int64(facts.st_size)
    modifiedNanoseconds = Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
    changedNanoseconds = Int64(facts.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_ctim.tv_nsec)
  }

  /// Changes when the file is written. As root SQLite gives a log the database's owner at each opening, also the same
  /// one: the time of the last change of the attributes is left out.
  var written: [Int64] { [Int64(bitPattern: inode), size, modifiedNanoseconds] }
}

/// One row, decoded by the names of its columns: `paymentHash` is `payment_hash`.
struct SQLiteRow {
  let path: String
  let table: String
  /// The columns' places, by the names of the properties.
  let places: [String: Int]
  let cells: [SQLValue]

  static func places(of columns: [String]) -> [String: Int] {
    let names = columns.enumerated().map { (property(of: $1), $0) }
    return Dictionary(names) { first, _ in first }
  }

  private static func property(of column: String) -> String {
    let words = column.split(separator: "_")
    return words.dropFirst().reduce(into: String(words.first ?? "")) { name, word in
      name += word == "id" ? "ID" : word.prefix(1).uppercased() + word.dropFirst()
    }
  }

  func decoded<Entry: Decodable>() throws(JudgeError) -> Entry {
    do { return try Entry(from: RowDecoder(row: self)) } catch {
      throw error as? JudgeError ?? .foreign(path: path, reason: "\(error)")
    }
  }

  fileprivate func cell(_ name: String) throws(JudgeError) -> SQLValue {
    guard let place = places[name] else {
      throw .foreign(path: path, reason: "its table \(table) has no column for \(name)")
    }
    return cells[place]
  }

  fileprivate func mismatch(_ name: String, _ what: String) -> JudgeError {
    .foreign(path: path, reason: "in its table \(table) a value of \(name) is not \(what)")
  }
}

/// A part of a row that is a type of its own has the row's columns.
private struct RowDecoder: Decoder {
  let row: SQLiteRow
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowColumns(row: row))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw row.mismatch("a column", "a list") }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw row.mismatch("a column", "a value")
  }
}

private struct RowColumns<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: SQLiteRow
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.places.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.places[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try row.cell(key.stringValue) == .null }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    guard case .integer(let value) = try row.cell(key.stringValue) else {
      throw row.mismatch(key.stringValue, "a number")
    }
    return value
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard case .text(let value) = try row.cell(key.stringValue) else {
      throw row.mismatch(key.stringValue, "text")
    }
    return value
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard type == [UInt8].self else { return try T(from: RowDecoder(row: row)) }
    guard case .blob(let value) = try row.cell(key.stringValue), let bytes = value as? T else {
      throw row.mismatch(key.stringValue, "bytes")
    }
    return bytes
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { RowDecoder(row: row).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try RowDecoder(row: row).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { RowDecoder(row: row) }
  func superDecoder(forKey key: Key) throws -> any Decoder { RowDecoder(row: row) }
}

/// Counts accesses to rows and journal lines. Tests hold that each is accessed only a few times, however many there
/// are.
final class Visits { var count = 0 }

/// Rows in order, with counted accesses.
struct Rows<Element>: RandomAccessCollection {
  private let elements: [Element]
  private let visits: Visits

  init(_ elements: [Element], _ visits: Visits) {
    self.elements = elements
    self.visits = visits
  }

  var startIndex: Int { 0 }
  var endIndex: Int { elements.count }

  subscript(position: Int) -> Element {
    visits.count &+= 1
    return elements[position]
  }

  /// Indexes the rows by key in one pass.
  func index<Key: Hashable>(by key: (Element) -> Key?) -> RowIndex<Key, Element> {
    var places: [Key: [Int]] = [:]
    for (place, element) in enumerated() {
      if let key = key(element) { places[key, default: []].append(place) }
    }
    return RowIndex(rows: self, places: places)
  }
}

/// Reads whole tables.
struct TableReader {
  private let file: SQLiteFile?
  private let visits: Visits
  /// Of a ledger: the wallet whose rows are read.
  private let wallet: Int64?

  /// Without a file all tables are empty.
  init(_ file: SQLiteFile?, wallet: Int64? = nil, _ visits: Visits) {
    self.file = file
    self.wallet = wallet
    self.visits = visits
  }

  func read<Entry: Decodable>(_ table: String, by order: String) throws(JudgeError) -> Rows<Entry> {
    try read(table, by: order) { $0 }
  }

  /// Each row is made into a value at once: two copies of a table may not fit into memory.
  func read<Entry: Decodable, Value>(
    _ table: String, by order: String, _ make: (Entry) -> Value
  ) throws(JudgeError) -> Rows<Value> {
    Rows(try file?.rows(of: table, by: order, wallet: wallet, make) ?? [], visits)
  }
}

/// The rows of each key.
struct RowIndex<Key: Hashable, Element> {
  fileprivate let rows: Rows<Element>
  fileprivate let places: [Key: [Int]]

  func all(_ key: Key) -> [Element] { (places[key] ?? []).map { rows[$0] } }
  func first(_ key: Key) -> Element? { places[key]?.first.map { rows[$0] } }
  func contains(_ key: Key) -> Bool { places[key] != nil }
}
