/// The durations of many rounds, in nanoseconds.
struct Samples {
  private var sorted: [Int64]

  init(_ nanoseconds: [Int64]) { sorted = nanoseconds.sorted() }

  var count: Int { sorted.count }
  var median: Int64 { at(0.5) }
  var p99: Int64 { at(0.99) }

  /// The quantile: the value that this share of the rounds does not exceed.
  private func at(_ share: Double) -> Int64 {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
  }
}
