import Ground

/// One end's limits on a connection.
public struct ConnectionRules: Hashable, Codable, Sendable {
  /// The limit on ignorable messages in 10 s.
  public var chatter: Int
  /// After this long without a message the other end is pinged, and after as long again without one disconnected.
  /// Nil: no limit.
  public var silence: TimeSpan?

  public init(chatter: Int = 20, silence: TimeSpan? = .seconds(30)) {
    self.chatter = chatter
    self.silence = silence
  }

  public static let standard = ConnectionRules()
}
