import Ground

/// The app's audio that plays now.
public struct BackgroundAudio: Hashable, Sendable {
  public struct Playing: Hashable, Codable, Sendable {
    public var session: AudioSession
    public var since: Instant
    var endsAt: Instant?
  }

  public internal(set) var playing: Playing?

  var deadline: Instant? { playing?.endsAt }
}

extension BackgroundAudio: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    playing?.since.shift(by: span)
    playing?.endsAt.shift(by: span)
  }
}
