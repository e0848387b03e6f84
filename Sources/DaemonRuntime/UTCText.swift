import Glibc

/// A time of the wall clock in ISO 8601.
public enum UTCText {
  public static func write(_ wallNanoseconds: Int64, milliseconds: Bool = false) -> String {
    var seconds = time_t(wallNanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let thousandths = 1000 + wallNanoseconds / 1_000_000 % 1000
    let fraction = milliseconds ? ".\("\(thousandths)".suffix(3))" : ""
    func two(_ value: Int32) -> String { String("\(100 + value)".suffix(2)) }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))\(fraction)Z"
  }
}
