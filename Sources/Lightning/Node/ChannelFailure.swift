import Ground

/// The peer has failed the channel: BOLT 1 lets nothing more happen in it.
public struct ChannelFailure: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// What the peer said.
  public var reason: String

  public init(channel: Bytes32, reason: String) {
    self.channel = channel
    self.reason = reason
  }

  /// Its text is a stranger's, and stands in a line for a user.
  private static let shownText = 200

  public var sentence: String {
    "channel failed: the peer said “\(reason.prefix(Self.shownText))”; nothing is sent or received over it any more, and it is "
      + "not dialled again; ask whoever runs the peer about the money in it: `baton restore` does not bring it back"
  }
}
