import CSQLite

/// A database error, with a kind that a caller can act on, and SQLite's or our message.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// Another connection holds the needed lock: not a fault, try again.
    case busy
    case full
    /// The extended code says which file operation failed.
    case io(code: Int32)
    case readOnly
    /// A page is neither in the database nor in its log.
    case lacksAPart
    /// The database has another program's tables.
    case foreign
    case corrupt
    case notADatabase
    case cannotOpen
    case tooManyFiles
    case constraint
    /// The caller may not run this statement (see `StatementRights`).
    case notAllowed
    case schemaFromTheFuture(found: Int64, known: Int64)
    /// The database has a value of another type or range than expected.
    case wrongValue
    /// A value that cannot be stored, such as an epoch above `Int64.max`.
    case outOfRange
    case outOfMemory
    /// The library was misused, or the database lacks a table: SQLite's message says which.
    case misuse(code: Int32)
  }

  public var kind: Kind
  /// The database's path.
  public var database: String
  /// SQLite's or this module's message, without a full stop.
  public var words: String

  public init(kind: Kind, database: String, words: String) {
    self.kind = kind
    self.database = database
    self.words = words
  }

  init(code: Int32, database: String, words: String) {
    self.init(kind: Self.kind(of: code), database: database, words: words)
  }

  public var description: String {
    switch kind {
    case .busy: "\(database) is locked by another transaction (\(words)); try again in a moment"
    case .full: "the disk of \(database) is full (\(words)); free some space and try again"
    case .io(let code): "reading or writing \(database) failed (\(words), code \(code)); check its disk"
    case .lacksAPart:
      "\(database) is incomplete (\(words)), as if its log had been removed; restart the programs that use it; do not replace it with an older copy"
    case .readOnly: "\(database) cannot be written (\(words)); check its permissions and its directory's"
    case .corrupt:
      "\(database) is damaged (\(words)); keep it, and do not replace it with an older copy"
    case .foreign: "\(database) belongs to another program (\(words)); check the path"
    case .notADatabase: "\(database) is not an SQLite database (\(words)); check the path"
    case .cannotOpen: "\(database) cannot be opened (\(words)); check that it exists, and its permissions"
    case .tooManyFiles:
      "\(database) cannot be opened, as too many files are open; raise the limit with `ulimit -n`"
    case .constraint: "\(database) refused a row (\(words)); this is a bug, please report it"
    case .notAllowed:
      "a statement on \(database) is not allowed here (\(words)); this is a bug, please report it"
    case .schemaFromTheFuture(let found, let known):
      "the database \(database) has schema \(found), this program knows \(known): use the version of the program that wrote it"
    case .wrongValue:
      "\(database) has an invalid value (\(words)); keep it, and do not replace it with an older copy"
    case .outOfRange: "a value does not fit into \(database) (\(words)); this is a bug, please report it"
    case .outOfMemory:
      "not enough memory to use \(database) (\(words)); close some programs and try again"
    case .misuse(let code):
      "\(database): invalid use of SQLite (\(words), code \(code)); this is a bug, please report it"
    }
  }

  private static func kind(of code: Int32) -> Kind {
    switch code & 0xFF {
    // SQLITE_PROTOCOL: a process was stopped while it changed the log's index.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    // A full disk can also show as a failed write of the shared-memory file.
    case SQLITE_IOERR:
      switch code >> 8 {
      case 19: .full
      case 2: .lacksAPart
      default: .io(code: code)
      }
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_AUTH: .notAllowed
    case SQLITE_NOMEM: .outOfMemory
    case SQLITE_TOOBIG: .outOfRange
    default: .misuse(code: code)
    }
  }
}
