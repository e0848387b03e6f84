/// How much a notification may disturb.
public enum InterruptionLevel: String, Hashable, Codable, Sendable, CaseIterable {
  /// Shown in the list only.
  case passive
  case active
  /// Breaks through a Focus.
  case timeSensitive = "time-sensitive"
  /// Breaks through a Focus and mute; needs an entitlement.
  case critical

  var breaksThroughFocus: Bool { self == .timeSensitive || self == .critical }
}
