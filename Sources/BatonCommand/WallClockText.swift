import Glibc

/// Wall time as people read it, in UTC: every record of a phone is, wherever it is read.
enum WallClockText {
  static func write(_ nanoseconds: Int64) -> String {
    var seconds = time_t(nanoseconds / 1_000_000_000)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "?" }
    let two = { (value: Int32) in String("\(100 + value)".suffix(2)) }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
  }
}
