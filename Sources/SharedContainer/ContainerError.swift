import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An error of a container, one case for each remedy.
public enum ContainerError: Error, Hashable, Sendable {
  case missing(path: String)
  case notADirectory(path: String)
  /// A tool was given a file.
  case isAFile(path: String)
  case symbolicLink(path: String)
  case wrongOwner(path: String, owner: UInt32, expected: UInt32)
  case wrongMode(path: String, mode: UInt32)
  case noRights(path: String)
  /// A path in the container is not the plain file that it must be.
  case notAPlainFile(path: String, because: String)
  case lockUnavailable(path: String, because: String)
  case notAContainer(path: String, because: String)
  /// The database is there, but was never written to.
  case neverBegun(path: String)
  /// The path leads to another directory or database than the opened one.
  case containerReplaced(path: String)
  /// SQLite's log or index was unlinked while it was open.
  case logReplaced(path: String)
  /// A file of the database is shorter than it was a moment ago.
  case cutShort(path: String)
  /// There are signs that the database was used, but it is missing or empty.
  case databaseLost(path: String, because: String)
  /// A required page is neither in the database nor in its log.
  case lacksAPart(path: String)
  case schemaFromTheFuture(path: String, found: Int64, known: Int64)
  case corrupt(path: String, because: String)
  case full(path: String)
  case readOnly(path: String)
  case blocked(path: String, by: BlockedBy?)
  case epochsExhausted(path: String)
  case epochJumpRefused(from: UInt64, above: UInt64)
  case intentIsTheAppsOnly
  /// The closure inside the transaction threw its own error; nothing was written.
  case workFailed(String)
  case noRandomness
  /// A snapshot does not copy so much.
  case tooLargeToCopy(path: String, bytes: Int64, most: Int64)
  case noRoomForCopy(path: String, bytes: Int64, free: Int64)
  /// The copy's directory cannot be created there.
  case noPlaceForCopy(path: String, errno: Int32)
  /// The container changes while it is copied.
  case keepsChanging(path: String)
  case inputOutput(path: String, doing: String, errno: Int32)
  case database(DatabaseError)

  /// This process can never use the container again: its open files are not those at the path.
  public var isLossOfTheContainer: Bool {
    switch self {
    case .containerReplaced, .logReplaced, .cutShort: true
    default: false
    }
  }

  /// Another process is inside a transaction: nothing was done, try again.
  public var isBlocked: Bool { if case .blocked = self { true } else { false } }

  // MARK: Words of a system error

  /// ENOENT for an existing directory is the answer of a kernel file system such as /proc.
  static func words(_ code: Int32, of place: String) -> String {
    if code == ENOENT, case .success(let facts) = FileFacts.at(place), facts.isDirectory {
      return "it allows no new directory"
    }
    return words(code)
  }

  static func advice(_ code: Int32) -> String {
    code == EMFILE || code == ENFILE ? "raise the limit with `ulimit -n`" : "check its disk"
  }

  static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// The error for a system call that failed, from its `errno`.
  init(errno code: Int32, path: String, doing: String) {
    switch code {
    case ENOENT: self = .missing(path: path)
    case ENOTDIR: self = .notADirectory(path: path)
    case ELOOP: self = .symbolicLink(path: path)
    case EISDIR: self = .notAPlainFile(path: path, because: "as it is not a plain file")
    case EACCES, EPERM: self = .noRights(path: path)
    case ENOSPC, EDQUOT: self = .full(path: path)
    case EROFS: self = .readOnly(path: path)
    default: self = .inputOutput(path: path, doing: doing, errno: code)
    }
  }

  init(_ error: OwnError) {
    let path = error.path
    switch error.fault {
    case .link: self = .symbolicLink(path: path)
    case .notADirectory: self = .notADirectory(path: path)
    case .notAPlainFile: self = .notAPlainFile(path: path, because: "as it is not a plain file")
    case .foreign(let owner, let us): self = .wrongOwner(path: path, owner: owner, expected: us)
    case .writableByOthers(let mode), .openToOthers(let mode): self = .wrongMode(path: path, mode: mode)
    case .failed(let code): self = .init(errno: code, path: path, doing: "opening")
    }
  }

  /// Busy: another process is inside a transaction, named if the kernel's list shows it.
  init(_ error: any Error, in layout: ContainerLayout) {
    self.init(error, path: layout.database)
    if case .blocked(let path, nil) = self { self = .blocked(path: path, by: BlockedBy.find(in: layout)) }
  }

  /// The container's error for an error thrown inside a transaction.
  init(_ error: any Error, path: String) {
    guard let error = error as? DatabaseError else {
      self = error as? ContainerError ?? .workFailed(String(describing: error))
      return
    }
    switch error.kind {
    case .busy: self = .blocked(path: path, by: nil)
    case .full: self = .full(path: path)
    case .lacksAPart: self = .lacksAPart(path: path)
    case .foreign: self = .notAContainer(path: path, because: "as \(error.words)")
    case .readOnly: self = .readOnly(path: path)
    case .corrupt, .notADatabase, .wrongValue: self = .corrupt(path: path, because: error.words)
    case .schemaFromTheFuture(let found, let known):
      self = .schemaFromTheFuture(path: path, found: found, known: known)
    default: self = .database(error)
    }
  }
}
