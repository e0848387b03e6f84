/// Which `badge` values of a push are valid.
public enum PushBadge {
  /// An arbitrary upper bound.
  public static let max = 999_999_999

  /// Nil if the value is no valid badge: the push then has none.
  public static func number(_ value: Double?) -> Int? {
    guard let value, let number = Int(exactly: value), 0...max ~= number else { return nil }
    return number
  }
}
