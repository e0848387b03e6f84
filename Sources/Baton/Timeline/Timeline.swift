// Timeline: a run as a picture: lanes with spans, arrows and marks, made from facts of the journals or of a simulated
// world, and written as a page, a drawing or a trace. Pure: it reads no file and knows no core.

import Ground

/// A run, ready to be drawn. Items are in the order of their beginnings.
package struct Timeline: Hashable, Sendable {
  package var title: String
  /// The first record's instant; all others are shown relative to it.
  package var start: Instant
  package var end: Instant
  /// The wall clock at `start`, in nanoseconds since 1970; nil in virtual time.
  package var startWall: Int64?
  package var lanes: [TimelineLane]
  package var spans: [TimelineSpan]
  package var arrows: [TimelineArrow]
  package var marks: [TimelineMark]
  package var records: [TimelineRecord]
  package var findings: [TimelineFinding] = []
  /// What is missing from the picture, one sentence each.
  package var remarks: [String] = []
  /// Places of rows that a verdict names, such as `ledger payments 3`.
  package var anchors: [String: TimelineAnchor] = [:]

  package var length: TimeSpan { end - start }
}

package struct TimelineAnchor: Hashable, Sendable {
  package var at: Instant
  package var record: Int
}

/// A violation that the picture marks.
package struct TimelineFinding: Hashable, Sendable {
  package var title: String
  package var sentence: String
  /// Where it shows; nil if no record does.
  package var anchor: TimelineAnchor? = nil
}
