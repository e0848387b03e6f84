import Ground

/// An app in the background that is not suspended: either it came here a moment ago, or something keeps it awake.
public struct BackgroundStay: Hashable, Codable, Sendable {
  /// Since when: the time for tasks of its own counts from here.
  public var since: Instant
  /// Its word that it has dealt with `enter-background`. It has 5 s for that.
  public var isDone: Bool
  /// It was told that the time for its tasks ends, and is killed when this comes.
  public var killAt: Instant?

  public init(since: Instant, isDone: Bool = false, killAt: Instant? = nil) {
    self.since = since
    self.isDone = isDone
    self.killAt = killAt
  }
}

extension BackgroundStay: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    since.shift(by: span)
    killAt.shift(by: span)
  }
}
