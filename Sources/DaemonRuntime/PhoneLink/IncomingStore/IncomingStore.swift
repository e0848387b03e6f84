// DaemonRuntime/PhoneLink/IncomingStore: what the extension without a node leaves for the app: payments that were announced and that nobody has
// received yet. A database of its own beside the node's, so that the extension never opens the node's state, and never
// waits for the app. It decides nothing: the app reads and removes the records.

import Ground
import Guardrails
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The store of one container. It is opened for each call and closed after it: a suspended extension holds no lock,
/// and a container that was replaced meanwhile is simply the one that is opened. A call may wait for the disk as long
/// as it takes; the extension makes it beside its loop.
///
/// A kill would leave the records whole without the sync at each commit. It stays all the same: a phone whose battery
/// ends after the notification still knows the payment, and the close, which moves the log into the database, waits for
/// the disk in any case.
public struct IncomingStore: Sendable {
  public static let fileName = "incoming.sqlite"
  /// The oldest rows go first: the app removes a row only once its payment's end is known, and a flood must not fill
  /// the disk.
  static let limit = 256

  private let container: String
  public var path: String { "\(container)/\(Self.fileName)" }

  public init(container: String) {
    var trimmed = Substring(container)
    while trimmed.count > 1 && trimmed.hasSuffix("/") { trimmed.removeLast() }
    self.container = trimmed.isEmpty ? "." : String(trimmed)
  }

  /// Makes container and database if they are missing: iOS may launch the extension before the app has ever run.
  /// One row for each payment: a second push for it keeps the time of the first and brings the hold up to date.
  ///
  /// Returns a sentence if the store was damaged and had to be replaced by a new one.
  @discardableResult public func add(_ record: IncomingRecord, arrivedAt wallSeconds: Int64)
    throws(IncomingStoreError) -> String?
  {
    _ = try reaching { () throws(OwnError) in try OwnDirectory.make(container) }
    try makeFile()
    let damage = try running { try Self.damage { try insert(record, arrivedAt: wallSeconds) } }
    guard let damage else { return nil }
    let sentence = try setAside(because: damage)
    try makeFile()
    try running { try insert(record, arrivedAt: wallSeconds) }
    return sentence
  }

  private func insert(_ record: IncomingRecord, arrivedAt wallSeconds: Int64) throws {
    let database = try Connection(path: path, access: .create)
    try database.migrate(steps: Self.schema)
    try Self.check(database)
    try database.transaction(.immediate) {
      try database.execute(
        """
        INSERT INTO incoming (payment_hash, amount_msat, kind, is_held, hold_ends_at, state, arrived_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (payment_hash) DO UPDATE SET amount_msat = excluded.amount_msat, kind = excluded.kind,
          is_held = excluded.is_held, hold_ends_at = excluded.hold_ends_at
        """, Self.values(of: record) + [.integer(wallSeconds)])
      try database.execute(
        // Not by the numbers' distance: a repeated push uses up a number and adds no row.
        """
        DELETE FROM incoming WHERE number NOT IN (SELECT number FROM incoming ORDER BY number DESC LIMIT ?)
        """, [.integer(Int64(Self.limit))])
    }
  }

  /// The newest, in the order of their arrival. No rows if there is no store yet.
  public func all() throws(IncomingStoreError) -> [IncomingEntry] { try read().entries }

  /// `unread`: the older rows, which another process than the extension has written.
  public func read() throws(IncomingStoreError) -> (entries: [IncomingEntry], unread: Int64) {
    guard try isThere() else { return ([], 0) }
    return try running {
      let database = try Connection(path: path, access: .readWrite)
      try database.migrate(steps: Self.schema)
      let count = try database.firstRow("SELECT count(*) FROM incoming")?.integer(0) ?? 0
      return (try Self.entries(of: database), max(0, count - Int64(Self.limit)))
    }
  }

  /// Only records that are as they are given: the extension may have announced the payment again since they were read.
  /// Returns the payments whose record is another, and stays.
  @discardableResult public func remove(_ records: [IncomingRecord]) throws(IncomingStoreError) -> [Bytes32] {
    guard !records.isEmpty, try isThere() else { return [] }
    return try running {
      let database = try Connection(path: path, access: .readWrite)
      try database.migrate(steps: Self.schema)
      return try database.transaction(.immediate) {
        var changed: [Bytes32] = []
        for record in records where try !remove(record, database) { changed.append(record.paymentHash) }
        return changed
      }
    }
  }

  /// False if there is another record of the payment.
  private func remove(_ record: IncomingRecord, _ database: Connection) throws -> Bool {
    try database.execute(
      """
      DELETE FROM incoming WHERE payment_hash = ? AND amount_msat = ? AND kind = ? AND is_held = ?
        AND hold_ends_at IS ? AND state = ?
      """, Self.values(of: record))
    return try database.firstRow(
      "SELECT 1 FROM incoming WHERE payment_hash = ?", [.blob(record.paymentHash.bytes)]) == nil
  }

  private static func values(of record: IncomingRecord) -> [SQLValue] {
    [
      .blob(record.paymentHash.bytes), .bits(record.amountMsat), .text(record.kind.rawValue),
      .integer(record.isHeld ? 1 : 0), record.holdEndsAt.map { .integer($0) } ?? .null,
      .text(record.state.rawValue),
    ]
  }

  private static func entries(of database: Connection) throws -> [IncomingEntry] {
    try database.rows(
      """
      SELECT payment_hash, amount_msat, substr(kind, 1, 64), is_held, hold_ends_at, substr(state, 1, 64), arrived_at
      FROM incoming ORDER BY number DESC LIMIT ?
      """, [.integer(Int64(limit))]
    ).reversed().compactMap { try IncomingEntry($0) }
  }

  static let schema = [
    """
    CREATE TABLE incoming (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      payment_hash BLOB NOT NULL UNIQUE CHECK (length(payment_hash) = 32),
      amount_msat INTEGER NOT NULL,
      kind TEXT NOT NULL,
      is_held INTEGER NOT NULL,
      hold_ends_at INTEGER,
      state TEXT NOT NULL,
      arrived_at INTEGER NOT NULL
    ) STRICT;
    """
  ]

  // MARK: The file

  public func isThere() throws(IncomingStoreError) -> Bool {
    var status = stat()
    if lstat(path, &status) != 0 {
      if errno == ENOENT { return false }
      throw .failed("\(path) cannot be looked at (\(String(cString: strerror(errno)))); check its directory")
    }
    if let fault = OwnFault.find(
      mode: UInt32(status.st_mode), owner: UInt32(status.st_uid), mustBe: .plainFile)
    {
      throw IncomingStoreError(OwnError(path: path, fault: fault))
    }
    return true
  }

  /// With a mode that SQLite gives to the log as well.
  private func makeFile() throws(IncomingStoreError) {
    if try isThere() { return }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw .failed("\(path) cannot be created (\(String(cString: strerror(errno)))); check its directory")
    }
  }

  private func reaching<Result>(_ body: () throws(OwnError) -> Result) throws(IncomingStoreError) -> Result {
    do throws(OwnError) { return try body() } catch { throw IncomingStoreError(error) }
  }

  private func running<Result>(_ body: () throws -> Result) throws(IncomingStoreError) -> Result {
    do { return try body() } catch let error as DatabaseError {
      throw error.kind == .busy ? .busy : .failed(error.description)
    } catch { throw .failed("\(error)") }
  }
}

// A damaged store is no reason to lose the next payments: it is set aside for whoever looks into it, and a new one
// begins. Only the extension does this, which is one process: two that set aside at once could lose a new store.
extension IncomingStore {
  /// The oldest damaged stores stay, and the newest.
  static let setAsideLimit = 3

  /// Returns what is damaged; nil if nothing is. A busy store, and one of a newer program, is no damage.
  static func damage(in body: () throws -> Void) throws -> DatabaseError? {
    do {
      try body()
      return nil
    } catch let error as DatabaseError where error.isDamage { return error }
  }

  /// A row that reads well can have a damaged neighbour, which only the app would find. The store is small.
  static func check(_ database: Connection) throws {
    let words = try database.firstRow("PRAGMA integrity_check(1)")?.text(0) ?? "it cannot be checked"
    guard words == "ok" else { throw DatabaseError(kind: .corrupt, database: database.path, words: words) }
  }

  /// Returns the sentence for the journal.
  func setAside(because damage: DatabaseError) throws(IncomingStoreError) -> String {
    let names = (1...Self.setAsideLimit).map { "\(path).damaged-\($0)" }
    let name = names.first { access($0, F_OK) != 0 } ?? names[Self.setAsideLimit - 1]
    // The log first: beside a new database it would be taken for that one's.
    for suffix in ["-wal", "-shm", ""] where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
      throw .failed(
        "\(path) is damaged, and cannot be set aside (\(String(cString: strerror(errno)))); check its directory"
      )
    }
    return "\(damage.database) was damaged (\(damage.words)): it is now \(name), and a new one begins"
  }
}

extension DatabaseError {
  fileprivate var isDamage: Bool {
    switch kind {
    case .corrupt, .notADatabase, .lacksAPart: true
    default: false
    }
  }
}

/// Why the store gave no answer.
public enum IncomingStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process is in a transaction: not a fault, try again.
  case busy
  /// One sentence for users.
  case failed(String)

  init(_ error: OwnError) {
    let why: String
    if case .failed(let code) = error.fault {
      why = "\(String(cString: strerror(code))); check its directory"
    } else {
      why = error.fault.sentence ?? "it cannot be opened"
    }
    self = .failed("cannot use \(error.path): \(why)")
  }

  public var trouble: Trouble {
    switch self {
    case .busy: .blocked(pid: nil, isStopped: false)
    case .failed(let sentence): .failed(sentence)
    }
  }

  public var description: String {
    switch self {
    case .busy: "another process is in a transaction of the announced payments; try again in a moment"
    case .failed(let sentence): sentence
    }
  }
}

/// A stored record, with the time of its first push.
public struct IncomingEntry: Hashable, Sendable {
  public let record: IncomingRecord
  /// In seconds of the wall clock.
  public let arrivedAt: Int64

  public init(_ record: IncomingRecord, arrivedAt: Int64) {
    self.record = record
    self.arrivedAt = arrivedAt
  }

  /// Nil for a kind or state of a newer program: the other records are shown all the same.
  init?(_ row: Row) throws {
    guard let hash = Bytes32(try row.blob(0)) else { throw row.mismatch(0, "32 bytes") }
    guard let kind = Announcement.Kind(rawValue: try row.text(2)),
      let state = IncomingRecord.State(rawValue: try row.text(5))
    else { return nil }
    self.init(
      IncomingRecord(
        paymentHash: hash, amountMsat: try row.bits(1), kind: kind, isHeld: try row.integer(3) != 0,
        holdEndsAt: try row.optionalInteger(4), state: state), arrivedAt: try row.integer(6))
  }
}
