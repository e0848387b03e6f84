/// The node's pending work in one value, so that the node never looks idle between two reports.
///
/// Counted from the node's start, and reported on each change. A lost connection does not change it: the work is in
/// the channel, and the next connection continues it.
public struct NodeActivity: Hashable, Codable, Sendable {
  /// A payment is being settled: it should not be interrupted.
  public var isSettling: Bool
  /// Payments of which some parts are pending and others missing. Durable, also for the next owner.
  public var collecting: [Bytes32]
  /// A splice is committed to and pending. Durable, also for the next owner.
  public var isSplicing: Bool

  public static let nothing = NodeActivity()

  public init(isSettling: Bool = false, collecting: [Bytes32] = [], isSplicing: Bool = false) {
    self.isSettling = isSettling
    self.collecting = collecting
    self.isSplicing = isSplicing
  }
}
