import Ground

/// Percentiles of measured times.
package struct SpanPercentiles: Hashable, Sendable {
  /// The shortest first.
  private let spans: [TimeSpan]

  package init(_ spans: [TimeSpan]) { self.spans = spans.sorted() }

  package var count: Int { spans.count }

  /// The smallest time that is longer than that share of the times; at 100 the longest. Zero without times.
  package subscript(percent: Int) -> TimeSpan {
    guard !spans.isEmpty else { return .zero }
    let place = spans.count * min(max(percent, 0), 100) / 100
    return spans[min(spans.count - 1, place)]
  }

  /// `median 12 ms, 90th percentile 20 ms, 99th percentile 31 ms, maximum 40 ms`
  package var sentence: String {
    "median \(HumanText.span(self[50])), 90th percentile \(HumanText.span(self[90])), "
      + "99th percentile \(HumanText.span(self[99])), maximum \(HumanText.span(self[100]))"
  }
}
