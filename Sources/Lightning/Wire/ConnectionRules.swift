import Ground

/// What one end of a connection bears of the other.
public struct ConnectionRules: Hashable, Codable, Sendable {
  /// So many messages in 10 s that need nothing.
  public var chatter: Int
  /// After so long without a word the other end is pinged, and after as long again it is given up. Nil: it may be
  /// silent for ever.
  public var silence: TimeSpan?

  public init(chatter: Int = 20, silence: TimeSpan? = .seconds(30)) {
    self.chatter = chatter
    self.silence = silence
  }

  public static let standard = ConnectionRules()
  /// Those of a journal that was written before there were any.
  package static let before = ConnectionRules(silence: nil)
}
