import Database
import OwnFiles

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is wrong with a container, one case for each thing that somebody can do something about.
public enum ContainerError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(path: String)
  case notADirectory(path: String)
  /// Somebody who only looks named a file.
  case isAFile(path: String)
  case symbolicLink(path: String)
  case wrongOwner(path: String, owner: UInt32, expected: UInt32)
  case wrongMode(path: String, mode: UInt32)
  case noRights(path: String)
  /// A path in the container is not the plain file that it must be.
  case notAPlainFile(path: String, because: String)
  case lockUnavailable(path: String, because: String)
  case notAContainer(path: String, because: String)
  /// The database is there, and nobody could ever write into it.
  case neverBegun(path: String)
  /// The path leads to another directory or database than the one that was opened.
  case containerReplaced(path: String)
  /// SQLite's log or index lost its name under this process.
  case logReplaced(path: String)
  /// A file of the database is shorter than it was a moment ago.
  case cutShort(path: String)
  /// There are signs that the database was used, and it is not there or empty.
  case databaseLost(path: String, because: String)
  /// A page that must be in the database or its log is in neither.
  case lacksAPart(path: String)
  case schemaFromTheFuture(path: String, found: Int64, known: Int64)
  case corrupt(path: String, because: String)
  case full(path: String)
  case readOnly(path: String)
  case blocked(path: String, by: BlockedBy?)
  case epochsExhausted(path: String)
  case epochJumpRefused(from: UInt64, above: UInt64)
  case intentIsTheAppsOnly
  /// The work inside the transaction gave up with an error of its own; nothing was written.
  case workFailed(String)
  case noRandomness
  /// More than is copied for a look.
  case tooLargeToCopy(path: String, bytes: Int64, most: Int64)
  case noRoomForCopy(path: String, bytes: Int64, free: Int64)
  /// No directory for the copy can be made there.
  case noPlaceForCopy(path: String, errno: Int32)
  /// A copy that is being changed while it is read.
  case keepsChanging(path: String)
  case inputOutput(path: String, doing: String, errno: Int32)
  case database(DatabaseError)

  public var description: String {
    switch self {
    case .missing(let path): "there is no \(path); check the path"
    case .notADirectory(let path):
      "\(path) is not a directory, and must be one; look what it is before you move it away, or name another container"
    case .isAFile(let path): "\(path) is a file; name the directory that node.sqlite and locks lie in"
    case .symbolicLink(let path):
      "\(path) is a symbolic link, which could be pointed elsewhere under running processes; put what it leads to in its place"
    case .wrongOwner(let path, let owner, let expected):
      "\(path) belongs to user \(owner), not to \(expected); run as its owner or change its owner"
    case .wrongMode(let path, let mode):
      "\(path) can be written by others (mode \(String(mode, radix: 8))); take that right away with chmod go-w"
    case .noRights(let path): "\(path) may not be opened by this user; check its rights"
    case .notAPlainFile(let path, let because):
      "\(path) cannot be used, \(because); stop both processes and move it away, or put back the file it was"
    case .lockUnavailable(let path, let because):
      "\(path) cannot be locked, \(because); put it back or remove it"
    case .notAContainer(let path, let because):
      "\(path) is not a shared container, \(because); check the path"
    case .neverBegun(let path):
      "\(path) is empty, and the wallet has never begun; see that its disk has room, then open the app"
    case .containerReplaced(let path):
      "\(path) was replaced or removed while it was open; put it back, and start both wallet processes again"
    case .logReplaced(let path):
      "\(path) was replaced or removed while it was open; start this process again, it makes a new one"
    case .cutShort(let path):
      "\(path) was cut short while it was open; start this process again, which says what is lost"
    case .databaseLost(let path, let because):
      "\(path) is lost, \(because); \(Self.wayBack)"
    case .lacksAPart(let path):
      "\(path) lacks a part, as when its log was removed; end both wallet processes and start them again"
    case .schemaFromTheFuture(let path, let found, let known):
      "the database \(path) has schema \(found), this program knows \(known): update the program"
    case .corrupt(let path, let because): "\(path) is damaged (\(because)); \(Self.wayBack)"
    case .full(let path): "the disk that holds \(path) is full; make room and try again"
    case .readOnly(let path): "\(path) cannot be written; check its rights and whether its disk is read-only"
    case .blocked(let path, nil): "\(path) is in use by another process's transaction; try again in a moment"
    case .blocked(let path, .some(let holder)): "\(path) is in use: \(holder); try again in a moment"
    case .epochsExhausted(let path): "\(path) has used up all epochs; \(Self.wayBack)"
    case .epochJumpRefused(let from, let above):
      "the epoch may not go from \(from) above \(above), which no restored copy explains; ask the peer's operator"
    case .intentIsTheAppsOnly: "only the app can raise the intent for the node; open the container in the app's role"
    case .workFailed(let words):
      "the transaction was rolled back and nothing was written (\(words)); mend what it names and try again"
    case .noRandomness: "the kernel gave no random bytes; try again"
    case .tooLargeToCopy(let path, let bytes, let most):
      "\(path) has \(bytes) bytes, and no more than \(most) are copied for a look; a log grows to some megabytes, so see what wrote it"
    case .noRoomForCopy(let path, let bytes, let free):
      "\(path) has room for \(free) bytes, and the copy that is looked at needs \(bytes); make room there, or name another directory with TMPDIR"
    case .noPlaceForCopy(let path, let code):
      "no directory for the copy that is looked at can be made in \(path) (\(Self.words(code, of: path))); name another one with TMPDIR"
    case .keepsChanging(let path):
      "\(path) keeps changing while it is copied; stop who writes it and try again"
    case .inputOutput(let path, let doing, let code):
      "\(doing) \(path) failed (\(String(cString: strerror(code)))); \(Self.advice(code))"
    case .database(let error): error.description
    }
  }

  /// An older copy of a channel is no state to go on from: what is newest lies at the peer.
  private static let wayBack =
    "keep the directory, move it away, open the app, and type `baton restore`: the channel comes back from the peer's backup, and the peer refuses what was here before"

  /// In a file system of the kernel's own it says that it is the new directory that is not there.
  private static func words(_ code: Int32, of place: String) -> String {
    if code == ENOENT, case .success(let facts) = FileFacts.at(place), facts.isDirectory {
      return "it takes none"
    }
    return String(cString: strerror(code))
  }

  private static func advice(_ code: Int32) -> String {
    code == EMFILE || code == ENFILE ? "raise the limit with `ulimit -n`" : "check its disk"
  }

  /// This process can never use the container again: what it has open is not what lies at the path.
  public var isLossOfTheContainer: Bool {
    switch self {
    case .containerReplaced, .logReplaced, .cutShort: true
    default: false
    }
  }

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
    case .writableByOthers(let mode): self = .wrongMode(path: path, mode: mode)
    case .failed(let code): self = .init(errno: code, path: path, doing: "opening")
    }
  }

  /// What an error thrown inside a transaction means for the container.
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
