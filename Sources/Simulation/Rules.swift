/// The rules of the coordination, one by one, so that one can be taken away and its worth be seen.
public struct Rules: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A role lock tells at once whether the holder lives.
  public static let lock = Rules(rawValue: 1 << 0)
  /// A write is checked against the row, in its transaction.
  public static let fencedWrites = Rules(rawValue: 1 << 1)
  /// The peer refuses a lower epoch.
  public static let peerFence = Rules(rawValue: 1 << 2)
  /// The claim gives the state that it read.
  public static let stateFromClaim = Rules(rawValue: 1 << 3)
  /// The row and the state are read once more after the peer's greeting.
  public static let greetingCheck = Rules(rawValue: 1 << 4)
  /// A claim succeeds only against the epoch that was seen.
  public static let compareAndSet = Rules(rawValue: 1 << 5)
  /// Two claims under one number differ by a random incarnation.
  public static let incarnation = Rules(rawValue: 1 << 6)
  /// Beats begin with the claim, not with the connection.
  public static let earlyBeat = Rules(rawValue: 1 << 7)
  /// Each beat reads the row first.
  public static let rowBeforeBeat = Rules(rawValue: 1 << 8)
  /// The app's wish is state that can be read, not only a message.
  public static let wishAsState = Rules(rawValue: 1 << 9)
  /// The lock is dropped after the socket is closed.
  public static let releaseOrder = Rules(rawValue: 1 << 10)
  /// Durable first, sent afterwards.
  public static let durableFirst = Rules(rawValue: 1 << 11)
  /// A lock file that was replaced is noticed and taken anew.
  public static let inodeCheck = Rules(rawValue: 1 << 12)
}
