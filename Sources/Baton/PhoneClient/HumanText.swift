import Ground

/// Amounts, times and counts as text.
package enum HumanText {
  package static func amount(msat: UInt64) -> String { AmountText.words(msat: msat) }

  /// `1,234,567`.
  package static func grouped(_ number: UInt64) -> String { AmountText.grouped(number) }

  /// `12.345`, with the sign if it is negative.
  package static func seconds(_ span: TimeSpan) -> String {
    let milliseconds = span.nanoseconds.magnitude / 1_000_000
    let fraction = String(String(1000 + milliseconds % 1000).dropFirst())
    return "\(span < .zero ? "-" : "")\(milliseconds / 1000).\(fraction)"
  }

  /// Short, with a fitting unit: `0.8 ms`, `42 ms`, `3.2 s`, `5 min`, `2 h`.
  package static func span(_ span: TimeSpan) -> String {
    let nanoseconds = max(0, span.nanoseconds)
    switch nanoseconds {
    case ..<10_000_000: return "\(tenths(nanoseconds, of: 1_000_000)) ms"
    case ..<1_000_000_000: return "\(nanoseconds / 1_000_000) ms"
    case ..<120_000_000_000: return "\(tenths(nanoseconds, of: 1_000_000_000)) s"
    case ..<7_200_000_000_000: return "\(nanoseconds / 60_000_000_000) min"
    default: return "\(nanoseconds / 3_600_000_000_000) h"
    }
  }

  /// Rounded: `1,234.5 h`, and below ten hours two decimals, `0.17 h`.
  package static func hours(milliseconds: UInt64) -> String {
    let hundredths = roundedQuotient(milliseconds, 36_000)
    guard hundredths >= 1000 else {
      return "\(hundredths / 100).\(String(String(100 + hundredths % 100).dropFirst())) h"
    }
    let tenths = roundedQuotient(milliseconds, 360_000)
    return "\(grouped(tenths / 10)).\(tenths % 10) h"
  }

  private static func roundedQuotient(_ value: UInt64, _ unit: UInt64) -> UInt64 {
    value / unit + (value % unit >= unit / 2 ? 1 : 0)
  }

  /// `1.7 MB`, of 1,048,576 bytes each, as the phone's limits.
  package static func megabytes(_ bytes: UInt64) -> String {
    "\(bytes / 1_048_576).\(bytes % 1_048_576 * 10 / 1_048_576) MB"
  }

  private static func tenths(_ value: Int64, of unit: Int64) -> String {
    "\(value / unit).\(value % unit * 10 / unit)"
  }

  package static func count(_ number: Int, _ thing: String, _ things: String? = nil) -> String {
    number == 1 ? "1 \(thing)" : "\(number) \(things ?? thing + "s")"
  }
}
