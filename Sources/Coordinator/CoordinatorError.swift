import Ground
import SharedContainer

/// An error, one case for each remedy. The descriptions are for logs.
public enum CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The lease is over: another process holds the node, or this one has released it. Close the socket, write nothing,
  /// and discard the node.
  case fenced
  /// A process is inside a transaction; its pid, if known. Nothing was written: try again in a moment.
  case blocked(pid: Int32?, isStopped: Bool)
  /// The disk is full; nothing was written.
  case diskFull(log: String)
  /// The opened files are no longer those at the container's path: this process can never use it again.
  case containerLost(log: String)
  /// The database is damaged or missing. Do not use an older copy of the channel: restore the peer's backup.
  case damaged(log: String)
  /// A newer version of the wallet has written the database.
  case newerVersion(log: String)
  /// The container cannot be opened: check its path, permissions and content.
  case unusable(log: String)
  /// The last write may be durable or not: read again before relying on either.
  case failed(log: String)

  public var description: String {
    switch self {
    case .fenced: "this process does not own the node any more; close its connection and discard the node"
    case .blocked(let pid, let isStopped):
      "process \(pid.map(String.init) ?? "(pid unknown)") is \(isStopped ? "stopped " : "")inside a transaction; try again"
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
