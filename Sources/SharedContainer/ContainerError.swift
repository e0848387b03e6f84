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

/// Each error as a sentence: the problem, then the remedy.
extension ContainerError: CustomStringConvertible {
  public var description: String {
    remedy.isEmpty ? problem : "\(problem)\(isJoinedByColon ? ":" : ";") \(remedy)"
  }

  /// What is wrong.
  public var problem: String { parts.problem }
  /// What to do; empty if an error of SQLite says both in one.
  public var remedy: String { parts.remedy }

  private var isJoinedByColon: Bool {
    if case .schemaFromTheFuture = self { true } else { false }
  }

  private var parts: (problem: String, remedy: String) {
    switch self {
    case .missing(let path): ("there is no \(path)", "check the path")
    case .notADirectory(let path):
      ("\(path) is not a directory", "move that file away, or use another container")
    case .isAFile(let path): ("\(path) is a file", "use the directory that contains node.sqlite and locks")
    case .symbolicLink(let path):
      (
        "\(path) is a symbolic link, which could be redirected under running processes",
        "replace it with its target"
      )
    case .wrongOwner(let path, let owner, let expected):
      ("\(path) belongs to user \(owner), not to \(expected)", "run as its owner or change its owner")
    case .wrongMode(let path, let mode):
      ("\(path) can be written by others (mode \(String(mode, radix: 8)))", "run chmod go-w on it")
    case .noRights(let path): ("this user may not open \(path)", "check its permissions")
    case .notAPlainFile(let path, let because):
      (
        "\(path) cannot be used, \(because)",
        "stop both processes and move it away, or restore the original file"
      )
    case .lockUnavailable(let path, let because):
      ("\(path) cannot be locked, \(because)", "restore or remove it")
    case .notAContainer(let path, let because):
      ("\(path) is not a shared container, \(because)", "check the path")
    case .neverBegun(let path):
      ("\(path) is empty: the wallet was never used", "check that its disk has room, then open the app")
    case .containerReplaced(let path):
      ("\(path) was replaced or removed while it was open", "restore it, and restart both wallet processes")
    case .logReplaced(let path):
      ("\(path) was replaced or removed while it was open", "restart this process, which creates a new one")
    case .cutShort(let path):
      ("\(path) was truncated while it was open", "restart this process, which reports the damage")
    case .databaseLost(let path, let because): ("\(path) is lost, \(because)", Self.wayBack)
    case .lacksAPart(let path):
      ("\(path) is incomplete, as if its log had been removed", "restart both wallet processes")
    case .schemaFromTheFuture(let path, let found, let known):
      (
        "the database \(path) has schema \(found), this program knows \(known)",
        "use the version of the program that wrote it"
      )
    case .corrupt(let path, let because): ("\(path) is damaged (\(because))", Self.wayBack)
    case .full(let path): ("the disk of \(path) is full", "free some space and try again")
    case .readOnly(let path):
      ("\(path) cannot be written", "check its permissions and whether its disk is read-only")
    case .blocked(let path, nil):
      ("\(path) is in use by another process's transaction", "try again in a moment")
    case .blocked(let path, .some(let holder)): ("\(path) is in use: \(holder)", "try again in a moment")
    case .epochsExhausted(let path): ("\(path) has used up all epochs", Self.wayBack)
    case .epochJumpRefused(let from, let above):
      (
        "the epoch cannot be raised from \(from) above \(above), a difference that no restored copy explains",
        "ask the peer's operator"
      )
    case .intentIsTheAppsOnly: ("`setIntent` needs a container opened with role `.app`", "")
    case .workFailed(let words):
      ("the transaction was rolled back and nothing was written (\(words))", "fix the cause and try again")
    case .noRandomness: ("the kernel gave no random bytes", "try again")
    case .tooLargeToCopy(let path, let bytes, let most):
      (
        "\(path) has \(bytes) bytes, more than the \(most) that a snapshot copies",
        "check what wrote it, as a log has only megabytes"
      )
    case .noRoomForCopy(let path, let bytes, let free):
      (
        "\(path) has \(free) bytes free, and the snapshot's copy needs \(bytes)",
        "free some space, or set TMPDIR"
      )
    case .noPlaceForCopy(let path, let code):
      (
        "no directory for the snapshot's copy can be created in \(path) (\(Self.words(code, of: path)))",
        "set TMPDIR"
      )
    case .keepsChanging(let path):
      ("\(path) keeps changing while it is copied", "stop the writing process and try again")
    case .inputOutput(let path, let doing, let code):
      ("\(doing) \(path) failed (\(Self.words(code)))", Self.advice(code))
    case .database(let error): (error.description, "")
    }
  }

  /// An old copy of the channel must not be used: the newest state is in the peer's backup.
  fileprivate static let wayBack =
    "move the container's directory away and keep it, open the app, and run `baton restore`: the channel is restored from the peer's backup, and the peer refuses the old state"
}
