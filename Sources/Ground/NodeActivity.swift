/// What a node is busy with, in one value: nobody can think between two reports that it has nothing to do.
///
/// It is counted from the start of the node, and said whenever it changes. A connection that is lost changes none of it: all of
/// it is in the channel, and the next connection goes on with it.
public struct NodeActivity: Hashable, Codable, Sendable {
  /// A payment is being settled: nothing should cut in.
  public var isSettling: Bool
  /// The payments of which parts are here and wait for the others. They are durable, whoever owns the node next.
  public var collecting: [Bytes32]
  /// A splice is bound to and not over. It is durable, whoever owns the node next.
  public var isSplicing: Bool

  public static let nothing = NodeActivity()

  public init(isSettling: Bool = false, collecting: [Bytes32] = [], isSplicing: Bool = false) {
    self.isSettling = isSettling
    self.collecting = collecting
    self.isSplicing = isSplicing
  }
}
