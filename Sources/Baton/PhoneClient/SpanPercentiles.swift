import Ground

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
