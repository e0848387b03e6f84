/// Whether two stamps are of the same time, whatever numbers somebody put there.
func isNear(_ one: Int64, _ other: Int64, withinNs limit: Int64) -> Bool {
  let (difference, overflowed) = one.subtractingReportingOverflow(other)
  return !overflowed && difference.magnitude <= limit.magnitude
}

/// What is written in the very step that a journal's line announces lies behind that line, by no more than this.
let stepSlackNs: Int64 = 5_000_000_000
