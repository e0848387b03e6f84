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
    fence = Fence(claim.epoch, claim.container)
    self.replacing = replacing.map { Fence($0.epoch, $0.container) }
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
    guard isCurrent else { throw CoordinatorError.fenced }
    var thrown: (any Error)?
    let result = shared.fencedWrite(under: claim, what: what, atMonotonic: now()) { writer in
      do { return try body(writer) } catch {
        thrown = error
        throw error
      }
    }
    return try value(of: result, thrown)
  }

  /// Reads if this process still holds the node, row and state in one transaction. Required once more after the peer's
  /// `channel_reestablish`: this catches a late dial.
  public func read<Value>(_ body: (StateReader) throws -> Value) throws -> Value {
    guard isCurrent else { throw CoordinatorError.fenced }
    var thrown: (any Error)?
    let result = shared.fencedRead(under: claim) { reader in
      do { return try body(reader) } catch {
        thrown = error
        throw error
      }
    }
    return try value(of: result, thrown)
  }

  /// Whether this process holds the node at this moment.
  public func holds() throws -> Bool {
    do {
      try read { _ in }
      return true
    } catch CoordinatorError.fenced { return false }
  }

  /// Reports of a lease that is over are dropped: they must not count for the next lease.
  public func report(_ news: NodeNews) { owner?.heard(news, from: self) }

  /// An error of the body is rethrown unchanged.
  private func value<Value>(of result: FencedResult<Value>, _ thrown: (any Error)?) throws -> Value {
    switch result {
    case .written(let value): return value
    case .fenced:
      end()
      owner?.wasFenced(self)
      throw CoordinatorError.fenced
    case .blocked(let holder): throw CoordinatorError(blockedBy: holder)
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
  func heard(_ news: NodeNews, from lease: Lease)
  func wasFenced(_ lease: Lease)
  func lostContainer(_ error: ContainerError)
}
