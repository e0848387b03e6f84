import Ground
import Guardrails

/// The result of a claim. Only `claimed` changes the node's owner.
public enum ClaimResult<State> {
  /// Durable, with the node's state read in the same transaction: state from before is void.
  case claimed(Claim, State)
  /// The owner has another epoch than the one seen.
  case superseded(ClaimRow?)
  /// Another process of this role holds its lock, or probes it for an instant.
  case ownLockBusy
  /// After `blocked` nothing was decided. If the disk failed, the claim may be durable or not: look again.
  case failed(ContainerError)
}

/// The result of a fenced write, or of a read under the same check. A fenced process stops its node.
public enum FencedResult<Value> {
  /// Durable, if it was a write.
  case written(Value)
  /// Another claim owns the node; nothing was changed.
  case fenced(by: ClaimRow?)
  /// Rolled back; the outcome is unknown if the disk failed while committing.
  case failed(ContainerError)
}

extension ClaimResult: Equatable where State: Equatable {}
extension ClaimResult: Sendable where State: Sendable {}
extension FencedResult: Equatable where Value: Equatable {}
extension FencedResult: Sendable where Value: Sendable {}
