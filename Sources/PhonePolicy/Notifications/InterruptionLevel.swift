/// How much a notification may disturb.
public enum InterruptionLevel: String, Hashable, Codable, Sendable, CaseIterable {
  /// Only in the list.
  case passive
  case active
  /// Also while a Focus is on.
  case timeSensitive = "time-sensitive"
  /// Also while the phone is muted; with an entitlement alone.
  case critical

  var breaksThroughFocus: Bool { self == .timeSensitive || self == .critical }
}
