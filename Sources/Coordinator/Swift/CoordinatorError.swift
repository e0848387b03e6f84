import Ground
import SharedContainer

/// What is wrong, one case for each thing that a caller can do something about. The descriptions are for logs.
public enum CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The lease is over: another process owns the node, or this one has given it up. Close the socket, write nothing, and
  /// throw the node away.
  case fenced
  /// Somebody is inside a transaction; its pid where the system tells. Nothing was written: try again in a moment.
  case blocked(pid: Int32?, isStopped: Bool)
  /// Nothing was written for want of room.
  case diskFull(log: String)
  /// What lies at the container's path is not what was opened: this process can never use it again.
  case containerLost(log: String)
  /// The database is damaged or gone. An older copy of a channel is no state to go on from: ask the peer for its backup.
  case damaged(log: String)
  /// A newer version of the wallet has written the database.
  case newerVersion(log: String)
  /// The container cannot be opened as it is: its path, its rights, what lies in it.
  case unusable(log: String)
  /// Unknown whether the last write is there: read again before believing either.
  case failed(log: String)

  public var description: String {
    switch self {
    case .fenced: "this process does not own the node any more; close its connection and start it anew"
    case .blocked(let pid, let isStopped):
      "process \(pid.map(String.init) ?? "of an unknown number") is \(isStopped ? "stopped " : "")inside a transaction; try again"
    case .diskFull(let log), .containerLost(let log), .damaged(let log), .newerVersion(let log),
      .unusable(let log), .failed(let log):
      log
    }
  }

  init(_ error: ContainerError) {
    let log = "\(error)"
    switch error {
    case .blocked(_, let holder): self.init(blockedBy: holder)
    case .full: self = .diskFull(log: log)
    case _ where error.isLossOfTheContainer: self = .containerLost(log: log)
    case .corrupt, .databaseLost, .lacksAPart, .epochsExhausted: self = .damaged(log: log)
    case .schemaFromTheFuture: self = .newerVersion(log: log)
    case .missing, .notADirectory, .isAFile, .symbolicLink, .wrongOwner, .wrongMode, .noRights,
      .notAPlainFile,
      .lockUnavailable, .notAContainer, .neverBegun, .readOnly:
      self = .unusable(log: log)
    default: self = .failed(log: log)
    }
  }

  init(blockedBy holder: BlockedBy?) {
    self = .blocked(pid: holder?.pid, isStopped: holder?.isStopped ?? false)
  }
}
