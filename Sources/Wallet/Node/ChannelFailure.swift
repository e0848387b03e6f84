import Ground

/// The peer has failed the channel: by BOLT 1 it takes no further messages.
public struct ChannelFailure: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// The text of the peer's `error`.
  public var reason: String

  public init(channel: Bytes32, reason: String) {
    self.channel = channel
    self.reason = reason
  }

  /// The peer chooses the text, and a user reads it in one line.
  private static let shownText = 200

  public var sentence: String {
    "channel failed: the peer said “\(reason.prefix(Self.shownText))”; the wallet no longer uses the channel or dials the peer; "
      + "ask the peer's operator about the money in the channel: `baton restore` does not bring it back"
  }
}
