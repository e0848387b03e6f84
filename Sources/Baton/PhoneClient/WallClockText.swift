import Glibc

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
    var seconds = time_t(nanoseconds / 1_000_000_000)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "?" }
    let two = { (value: Int32) in String("\(100 + value)".suffix(2)) }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
  }
}
