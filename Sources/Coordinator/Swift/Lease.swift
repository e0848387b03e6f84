import Ground
import Guardrails
import SharedContainer

/// One ownership of the node, from a claim until the node is given up or taken. The one way to write the node's state.
public final class Lease {
  let claim: Claim
  /// What a peer that knows fences is told.
  public let fence: Fence
  /// Whose place this lease takes at the peer, because a user has said so.
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

  /// False once the lease is over as far as this process knows; asks nobody.
  public private(set) var isCurrent = true

  func end() { isCurrent = false }

  /// Writes if the node is still this process's, checked in the transaction that writes: durable when it returns. Throws
  /// `CoordinatorError`, or what the body throws; then nothing is written.
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

  /// Reads if the node is still this process's, row and state in one transaction. To be done once more after the peer's
  /// `channel_reestablish`: it closes the gap of a late dial.
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

  /// Whether the node is this process's at this moment.
  public func holds() throws -> Bool {
    do {
      try read { _ in }
      return true
    } catch CoordinatorError.fenced { return false }
  }

  /// News of a lease that is over is dropped: it would be taken for news of the next one.
  public func report(_ news: NodeNews) { owner?.heard(news, from: self) }

  /// An error of the body's own comes out as it went in.
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

/// What a lease tells its coordinator.
protocol LeaseOwner: AnyObject {
  func heard(_ news: NodeNews, from lease: Lease)
  func wasFenced(_ lease: Lease)
  func lostContainer(_ error: ContainerError)
}
