import Ground

/// Times as the picture shows them.
package enum TimeText {
  /// Exact to a microsecond below a second: `0.412 ms`, `146.318 ms`, `3.205 s`, `62.004 s`.
  package static func span(_ span: TimeSpan) -> String {
    let nanoseconds = max(0, span.nanoseconds)
    return nanoseconds < 1_000_000_000
      ? "\(thousandths(nanoseconds / 1000)) ms" : "\(thousandths(nanoseconds / 1_000_000)) s"
  }

  private static func thousandths(_ number: Int64) -> String {
    "\(number / 1000).\("\(1000 + number % 1000)".dropFirst())"
  }
}
