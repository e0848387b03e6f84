/// What a wallet connects to.
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
/// Reasons for and against are votes: being in the background is one against, each task of the app one for. That
/// the node is somebody else's is no vote but a veto, and bars the peer alone: no number of votes outweighs it. The sum is
/// made anew from what is so each time, so there is no vote that can be counted twice or be forgotten.
public struct ConnectionGate: Hashable, Codable, Sendable {
  public var isInBackground: Bool
  public var tasks: Int
  public var isNetworkThere: Bool
  /// The node is not this process's: another one has it, or it is not claimed yet.
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

  /// Those that may be open, in their order.
  public var open: [ConnectionTarget] { ConnectionTarget.allCases.filter(mayOpen) }
}
