import Ground

/// Time spans as typed: a whole or decimal number and a unit.
public enum SpanText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
    ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
  ]

  /// nil for anything else, negative and overflowing spans included. A bare `0` needs no unit.
  public static func parse(_ text: String) -> TimeSpan? {
    if text == "0" { return .zero }
    let number = text.prefix { ("0"..."9").contains($0) || $0 == "." }
    let unitName = text.dropFirst(number.count)
    guard let unit = units.first(where: { $0.name == unitName }) else { return nil }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(parts[0]) else { return nil }
    let (nanoseconds, overflowed) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
    if overflowed { return nil }
    guard parts.count == 2 else { return TimeSpan(nanoseconds: nanoseconds) }
    guard let fraction = self.fraction(parts[1], of: unit.nanoseconds) else { return nil }
    let (sum, sumOverflowed) = nanoseconds.addingReportingOverflow(fraction)
    return sumOverflowed ? nil : TimeSpan(nanoseconds: sum)
  }

  /// The longest span, in the largest unit.
  static let longest = "\(Int64.max / 86_400_000_000_000)d"

  /// A number and a unit that exceed the longest span.
  static func isTooLong(_ text: String) -> Bool {
    let number = text.prefix { ("0"..."9").contains($0) }
    return !number.isEmpty && units.contains { $0.name == text.dropFirst(number.count) } && parse(text) == nil
  }

  private static func fraction(_ digits: Substring, of unit: Int64) -> Int64? {
    guard !digits.isEmpty, digits.count <= 9, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    var nanoseconds: Int64 = 0
    var place = unit
    for digit in digits.utf8 {
      place /= 10
      nanoseconds += Int64(digit - 48) * place
    }
    return nanoseconds
  }

  /// The shortest exact spelling: `2s`, `500ms`, `1h`.
  public static func write(_ span: TimeSpan) -> String {
    if span == .zero { return "0" }
    let unit = units.last { span.nanoseconds % $0.nanoseconds == 0 } ?? units[0]
    return "\(span.nanoseconds / unit.nanoseconds)\(unit.name)"
  }
}
