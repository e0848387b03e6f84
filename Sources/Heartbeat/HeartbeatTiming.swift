import Ground

/// How often a holder beats, and after how long without beats it counts as frozen.
public struct HeartbeatTiming: Hashable, Codable, Sendable {
  public let interval: TimeSpan
  public let staleAfter: TimeSpan

  public static let standard = HeartbeatTiming(uncheckedInterval: .seconds(2), staleAfter: .seconds(5))

  /// The limit must cover at least two beats: otherwise one late beat would make a healthy holder look dead.
  public init(interval: TimeSpan, staleAfter: TimeSpan) throws(HeartbeatTimingError) {
    guard interval >= .milliseconds(10), interval <= .seconds(600) else { throw .intervalOutOfRange }
    guard staleAfter.nanoseconds >= 2 * interval.nanoseconds else { throw .ruleShorterThanTwoBeats }
    guard staleAfter <= .seconds(3600) else { throw .ruleTooLong }
    self.init(uncheckedInterval: interval, staleAfter: staleAfter)
  }

  private init(uncheckedInterval interval: TimeSpan, staleAfter: TimeSpan) {
    self.interval = interval
    self.staleAfter = staleAfter
  }

  private enum CodingKeys: CodingKey {
    case interval
    case staleAfter
  }

  /// Validated too: with an interval of zero a replay would beat for ever at one instant.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      interval: values.decode(TimeSpan.self, forKey: .interval),
      staleAfter: values.decode(TimeSpan.self, forKey: .staleAfter))
  }
}

public enum HeartbeatTimingError: String, Error, Hashable, CustomStringConvertible {
  case intervalOutOfRange = "the beat interval must be between 10 ms and 10 minutes; Phoenix uses 2s"
  case ruleShorterThanTwoBeats =
    "the time until a beat is stale must be at least two beat intervals, or one late beat makes a live owner look frozen; use 5s for beats of 2s"
  case ruleTooLong = "the time until a beat is stale must be at most one hour"

  public var description: String { rawValue }
}
