import Ground

/// A running app in the background: it came here a moment ago, or an assertion keeps it awake.
public struct BackgroundStay: Hashable, Codable, Sendable {
  /// Start of the stay; the time limit of background tasks counts from here.
  public var since: Instant
  /// The app has confirmed `enter-background`, for which it has 5 s.
  public var isDone: Bool
  /// Set when its background tasks were told to expire: the app is killed at this instant.
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
