/// Lines missing between two lines of a journal, or before its first.
struct JournalGap {
  let count: Int64
  /// The line after the gap.
  let line: Int
  let fromNs: Int64
  let toNs: Int64
  let fromWallNs: Int64
  let toWallNs: Int64
  /// That line notes that its process could not write them. Lines missing without a note were removed.
  let isNoted: Bool

  /// Whether a missing line may announce an event with this stamp.
  func mayAnnounce(_ stampNs: Int64) -> Bool {
    fromNs <= stampNs && toNs >= stampNs.subtractingReportingOverflow(stepSlackNs).partialValue
  }

  /// The same by the wall clock, which may be set in between.
  func mayAnnounce(wallNs: Int64) -> Bool {
    fromWallNs <= wallNs.addingReportingOverflow(stepSlackNs).partialValue
      && toWallNs >= wallNs.subtractingReportingOverflow(stepSlackNs).partialValue
  }
}
