import Ground
import Guardrails

/// What a claim gave. Only `claimed` changes who owns the node.
public enum ClaimResult<State> {
  /// Durable, and the node's state as it was read in the same transaction: whatever was known earlier is void.
  case claimed(Claim, State)
  /// Another epoch than the one that was seen owns the node.
  case superseded(ClaimRow?)
  /// Somebody holds the lock of this role: another process of it, or a probe for an instant.
  case ownLockBusy
  /// Somebody is inside a transaction: nothing was decided, try again.
  case blocked(BlockedBy?)
  /// The outcome is unknown if the disk failed: look again before believing either.
  case failed(ContainerError)
}

/// What a write of node state gave, or a read under the same check. Whoever is fenced ends its node.
public enum FencedResult<Value> {
  /// Durable, if it was a write.
  case written(Value)
  /// Another claim owns the node; nothing was changed.
  case fenced(by: ClaimRow?)
  case blocked(BlockedBy?)
  /// Rolled back; the outcome is unknown if the disk failed while committing.
  case failed(ContainerError)
}

public enum RowResult: Hashable, Sendable {
  case row(ClaimRow?)
  case blocked(BlockedBy?)
  case failed(ContainerError)
}

public enum ReadResult<Value> {
  case read(Value)
  case blocked(BlockedBy?)
  case failed(ContainerError)
}

public enum LookResult: Hashable, Sendable {
  case seen(Observation)
  case blocked(BlockedBy?)
  case failed(ContainerError)
}

extension ClaimResult: Equatable where State: Equatable {}
extension ClaimResult: Sendable where State: Sendable {}
extension FencedResult: Equatable where Value: Equatable {}
extension FencedResult: Sendable where Value: Sendable {}
extension ReadResult: Equatable where Value: Equatable {}
extension ReadResult: Sendable where Value: Sendable {}
