/// Lines that are missing between two lines of a journal, or in front of its first: nobody knows what they said.
struct JournalGap {
  let count: Int64
  /// Of the line behind it.
  let line: Int
  let fromNs: Int64
  let toNs: Int64
  let fromWallNs: Int64
  let toWallNs: Int64
  /// Whether that line says that its process could not write them. Lines that are missing without a word were cut
  /// out.
  let isNoted: Bool

  /// Whether a line is among them that would announce what carries this stamp.
  func mayAnnounce(_ stampNs: Int64) -> Bool {
    fromNs <= stampNs && toNs >= stampNs.subtractingReportingOverflow(stepSlackNs).partialValue
  }

  /// The same by the wall clock, which may be set in between.
  func mayAnnounce(wallNs: Int64) -> Bool {
    fromWallNs <= wallNs.addingReportingOverflow(stepSlackNs).partialValue
      && toWallNs >= wallNs.subtractingReportingOverflow(stepSlackNs).partialValue
  }
}
