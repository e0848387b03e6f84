import Ground
import Guardrails
import SharedContainer

/// One ownership of the node, from a claim until the node is released or lost. The only way to write the node's state.
public final class Lease {
  let claim: Claim
  /// For a peer that supports fences.
  public let fence: Fence
  /// The claim that this lease replaces at the peer, on the user's request.
  public let replacing: Fence?
  private let shared: SharedContainer
  private let now: () -> Instant
  private weak var owner: (any LeaseOwner)?

  init(
    _ claim: Claim, replacing: ReplacedClaim?, shared: SharedContainer, now: @escaping () -> Instant,
    owner: any LeaseOwner
  ) {
    self.claim = claim
    fence = Fence(epoch: claim.epoch, container: claim.container)
    self.replacing = replacing.map { Fence(epoch: $0.epoch, container: $0.container) }
    self.shared = shared
    self.now = now
    self.owner = owner
  }

  public var epoch: UInt64 { claim.epoch }

  /// False once this process knows that the lease is over; reads nothing.
  public private(set) var isCurrent = true

  func end() { isCurrent = false }

  /// Writes if this process still holds the node, checked in the writing transaction: durable when it returns. Throws
  /// `CoordinatorError` or the body's error; then nothing is written.
  public func write<Value>(_ what: String, _ body: (StateWriter) throws -> Value) throws -> Value {
    try carryOut(body) { [self] in shared.fencedWrite(under: claim, what: what, atMonotonic: now(), $0) }
  }

  /// Reads if this process still holds the node, row and state in one transaction. Required once more after the peer's
  /// `channel_reestablish`: this catches a late dial.
  public func read<Value>(_ body: (StateReader) throws -> Value) throws -> Value {
    try carryOut(body) { [self] in shared.fencedRead(under: claim, $0) }
  }

  /// Whether this process holds the node at this moment.
  public func holds() throws -> Bool {
    do {
      try read { _ in }
      return true
    } catch CoordinatorError.fenced { return false }
  }

  /// Reports of a lease that is over are dropped: they must not count for the next lease.
  public func report(_ news: NodeReport) { owner?.heard(news, from: self) }

  /// An error of the body is rethrown unchanged.
  private func carryOut<Access, Value>(
    _ body: (Access) throws -> Value, _ fenced: @escaping ((Access) throws -> Value) -> FencedResult<Value>
  ) throws -> Value {
    guard isCurrent else { throw CoordinatorError.fenced }
    var thrown: (any Error)?
    let result = fenced { access in
      do { return try body(access) } catch {
        thrown = error
        throw error
      }
    }
    switch result {
    case .written(let value): return value
    case .fenced:
      end()
      owner?.wasFenced(self)
      throw CoordinatorError.fenced
    case .failed(let error):
      if error.isLossOfTheContainer { owner?.lostContainer(error) }
      if let thrown, error.isOfTheWorkItself { throw thrown }
      throw CoordinatorError(error)
    }
  }
}

extension ContainerError {
  fileprivate var isOfTheWorkItself: Bool {
    switch self {
    case .workFailed, .database: true
    default: false
    }
  }
}

/// A lease's calls to its coordinator.
protocol LeaseOwner: AnyObject {
  func heard(_ news: NodeReport, from lease: Lease)
  func wasFenced(_ lease: Lease)
  func lostContainer(_ error: ContainerError)
}

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
    case .blocked(_, let holder): self = .blocked(pid: holder?.pid, isStopped: holder?.isStopped ?? false)
    case .full: self = .diskFull(log: log)
    case _ where error.isLossOfTheContainer: self = .containerLost(log: log)
    case .corrupt, .databaseLost, .lacksAPart, .epochsExhausted: self = .damaged(log: log)
    case .schemaFromTheFuture: self = .newerVersion(log: log)
    case .missing, .notADirectory, .isAFile, .symbolicLink, .wrongOwner, .wrongMode, .noRights,
      .notAPlainFile, .lockUnavailable, .notAContainer, .neverBegun, .readOnly:
      self = .unusable(log: log)
    default: self = .failed(log: log)
    }
  }
}
