import DaemonRuntime
import Glibc
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

/// Wall clock times as text, in UTC like all records of a phone.
package enum WallClockText {
  /// Parses `2026-11-22T14:05:10`, also with a space or a `Z`, or a time alone, on the day of `today`; nil otherwise.
  package static func read(_ text: String, today: Int64) -> Int64? {
    var parts = tm()
    var seconds = time_t(today / 1_000_000_000)
    guard gmtime_r(&seconds, &parts) != nil else { return nil }
    var bare = text.replacing("T", with: " ")
    if bare.hasSuffix("Z") { bare.removeLast() }
    let words = bare.split(separator: " ", omittingEmptySubsequences: false)
    guard (1...2).contains(words.count),
      let time = numbers(words[words.count - 1], by: ":", count: 2...3, max: 60)
    else { return nil }
    if words.count == 2 {
      guard let day = numbers(words[0], by: "-", count: 3...3, max: 9999), (1...12).contains(day[1]),
        (1...31).contains(day[2])
      else { return nil }
      (parts.tm_year, parts.tm_mon, parts.tm_mday) = (day[0] - 1900, day[1] - 1, day[2])
    }
    guard time[0] < 24 else { return nil }
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time.count == 3 ? time[2] : 0)
    let (nanoseconds, overflowed) = Int64(timegm(&parts)).multipliedReportingOverflow(by: 1_000_000_000)
    return overflowed ? nil : nanoseconds
  }

  private static func numbers(
    _ text: Substring, by separator: Character, count: ClosedRange<Int>, max: Int32
  ) -> [Int32]? {
    let words = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = words.compactMap { word in
      word.utf8.allSatisfy { (48...57).contains($0) } ? Int32(word) : nil
    }
    guard count.contains(words.count), numbers.count == words.count, numbers.allSatisfy({ $0 <= max }) else {
      return nil
    }
    return numbers
  }

  package static func write(_ nanoseconds: Int64) -> String {
    UTCText.write(nanoseconds).replacing("T", with: " ").replacing("Z", with: " UTC")
  }
}

/// Percentiles of measured times.
package struct SpanPercentiles: Hashable, Sendable {
  /// The shortest first.
  private let spans: [TimeSpan]

  package init(_ spans: [TimeSpan]) { self.spans = spans.sorted() }

  package var count: Int { spans.count }

  /// The nearest rank: the smallest of the times that at least that share of them do not exceed; at 0 the shortest,
  /// at 100 the longest. Zero without times.
  package subscript(percent: Int) -> TimeSpan {
    guard !spans.isEmpty else { return .zero }
    let rank = (spans.count * min(max(percent, 0), 100) + 99) / 100
    return spans[max(rank, 1) - 1]
  }

  /// `median 12 ms, 95th percentile 20 ms, 99th percentile 31 ms, maximum 40 ms`
  package var sentence: String {
    "median \(HumanText.span(self[50])), 95th percentile \(HumanText.span(self[95])), "
      + "99th percentile \(HumanText.span(self[99])), maximum \(HumanText.span(self[100]))"
  }
}
