/// What in a push counts as a badge, for all who read one.
public enum PushBadge {
  /// More than an icon ever had.
  public static let max = 999_999_999

  /// Nil: what stands there is no number for an icon, and the push has no badge.
  public static func number(_ value: Double?) -> Int? {
    guard let value, let number = Int(exactly: value), 0...max ~= number else { return nil }
    return number
  }
}
