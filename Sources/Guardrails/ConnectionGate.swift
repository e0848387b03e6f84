/// The targets of a wallet's connections.
public enum ConnectionTarget: String, Hashable, Codable, Sendable, CaseIterable {
  /// The Lightning peer.
  case peer
  case electrum
  /// Exchange rates and the like.
  case http
  case tor
}

/// Which connections of a wallet may be open.
///
/// The background is one vote against, each task of the app one vote for. Not owning the node is a veto for the peer
/// alone, which no votes outweigh. The sum is computed anew each time, so no vote is counted twice or forgotten.
public struct ConnectionGate: Hashable, Codable, Sendable {
  public var isInBackground: Bool
  public var tasks: Int
  public var isNetworkThere: Bool
  /// This process does not own the node.
  public var isPeerBarred: Bool

  public init(isInBackground: Bool, tasks: Int, isNetworkThere: Bool, isPeerBarred: Bool) {
    self.isInBackground = isInBackground
    self.tasks = tasks
    self.isNetworkThere = isNetworkThere
    self.isPeerBarred = isPeerBarred
  }

  /// The votes alone: whether the app wants to be connected.
  public var isWanted: Bool { (isInBackground ? 1 : 0) - tasks <= 0 }

  public func mayOpen(_ target: ConnectionTarget) -> Bool {
    isWanted && isNetworkThere && !(target == .peer && isPeerBarred)
  }

  /// The targets that may be open, in their order.
  public var open: [ConnectionTarget] { ConnectionTarget.allCases.filter(mayOpen) }
}
