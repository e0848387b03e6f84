/// Whether two stamps are close, for any numbers.
func isNear(_ one: Int64, _ other: Int64, withinNs limit: Int64) -> Bool {
  let (difference, overflowed) = one.subtractingReportingOverflow(other)
  return !overflowed && difference.magnitude <= limit.magnitude
}

/// A write follows the journal line that announces it within this time.
let stepSlackNs: Int64 = 5_000_000_000
