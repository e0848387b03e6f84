import CSQLite

/// What a database refused, in a kind that a caller can act on, with SQLite's words and ours.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// Another connection holds the lock that was needed: not a fault, try again.
    case busy
    case full
    /// The extended code says which operation of the file system failed.
    case io(code: Int32)
    case readOnly
    /// A page is in neither the database nor its log.
    case lacksAPart
    /// It holds the tables of another program.
    case foreign
    case corrupt
    case notADatabase
    case cannotOpen
    case tooManyFiles
    case constraint
    /// A statement that its caller may not run (see `StatementRights`).
    case notAllowed
    case schemaFromTheFuture(found: Int64, known: Int64)
    /// The database holds another type or range of value than the program expects there.
    case wrongValue
    /// A value that the program may not store, such as an epoch above `Int64.max`.
    case outOfRange
    case outOfMemory
    /// The program used the library wrongly, or the database lacks a table: SQLite's words say which.
    case misuse(code: Int32)
  }

  public var kind: Kind
  /// The database, by path.
  public var database: String
  /// What SQLite or this module said, without a full stop.
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
    case .full: "the disk that holds \(database) is full (\(words)); make room and try again"
    case .io(let code): "reading or writing \(database) failed (\(words), code \(code)); check its disk"
    case .lacksAPart:
      "\(database) lacks a part (\(words)), as when its log was removed; end all who use it and start them again; an older copy of it must not speak for a channel"
    case .readOnly: "\(database) cannot be written (\(words)); check its rights and its directory's"
    case .corrupt:
      "\(database) is damaged (\(words)); keep it as it is, as an older copy of it must not speak for a channel"
    case .foreign: "\(database) belongs to another program (\(words)); check the path"
    case .notADatabase: "\(database) is not an SQLite database (\(words)); check the path"
    case .cannotOpen: "\(database) cannot be opened (\(words)); check that it exists and may be opened"
    case .tooManyFiles:
      "\(database) cannot be opened, as too many files are open; raise the limit with `ulimit -n`"
    case .constraint: "\(database) refused a row (\(words)); this is a bug, please report it"
    case .notAllowed:
      "a statement on \(database) is not allowed here (\(words)); this is a bug, please report it"
    case .schemaFromTheFuture(let found, let known):
      "the database \(database) has schema \(found), this program knows \(known): update the program"
    case .wrongValue:
      "\(database) holds a value that cannot be read (\(words)); keep it as it is, as an older copy of it must not speak for a channel"
    case .outOfRange: "a value does not fit into \(database) (\(words)); this is a bug, please report it"
    case .outOfMemory:
      "there was no memory left to work on \(database) (\(words)); close something and try again"
    case .misuse(let code):
      "\(database) could not do what was asked (\(words), code \(code)); this is a bug, please report it"
    }
  }

  private static func kind(of code: Int32) -> Kind {
    switch code & 0xFF {
    // The third: somebody was stopped in the instant in which it changed the index of the log.
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
