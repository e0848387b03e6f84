/// One line of the table.
struct Row {
  enum Unit {
    case time
    case kilobytes
  }

  /// The limits of the line.
  enum Aim {
    case ratio(Double)
    case medianMilliseconds(Double)
    case p99Milliseconds(Double)
    case megabytes(Double)
  }

  var name: String
  var samples: Samples
  /// The same work in C, if there is one.
  var floor: Samples?
  var unit = Unit.time
  var aims: [Aim] = []

  var ratio: Double? {
    guard let floor, floor.median > 0 else { return nil }
    return Double(samples.median) / Double(floor.median)
  }

  func isMet(_ aim: Aim) -> Bool {
    switch aim {
    case .ratio(let limit): (ratio ?? .infinity) <= limit
    case .medianMilliseconds(let limit): Double(samples.median) <= limit * 1e6
    case .p99Milliseconds(let limit): Double(samples.p99) <= limit * 1e6
    case .megabytes(let limit): Double(samples.median) <= limit * 1024
    }
  }

  func text(_ aim: Aim) -> String {
    let words =
      switch aim {
      case .ratio(let limit): "≤ \(decimal(limit))×"
      case .medianMilliseconds(let limit): "≤ \(decimal(limit)) ms"
      case .p99Milliseconds(let limit): "p99 ≤ \(decimal(limit)) ms"
      case .megabytes(let limit): "≤ \(decimal(limit)) MB"
      }
    return "\(words) \(isMet(aim) ? "met" : "missed")"
  }

  func text(_ value: Int64) -> String {
    switch unit {
    case .kilobytes: "\(decimal(Double(value) / 1024)) MB"
    case .time where value < 10_000: "\(decimal(Double(value) / 1e3, places: 2)) µs"
    case .time where value < 1_000_000: "\(decimal(Double(value) / 1e3)) µs"
    case .time: "\(decimal(Double(value) / 1e6, places: 2)) ms"
    }
  }
}

/// Rounded to some places, without Foundation.
func decimal(_ value: Double, places: Int = 1) -> String {
  let scale = places == 2 ? 100.0 : 10.0
  let whole = Int64((value * scale).rounded())
  let fraction = String(whole % Int64(scale))
  let zeros = String(repeating: "0", count: places - fraction.count)
  return "\(whole / Int64(scale)).\(zeros)\(fraction)"
}
