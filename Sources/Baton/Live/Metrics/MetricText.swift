import Ground

/// Writes Prometheus' text format, version 0.0.4.
package struct MetricText {
  package enum Kind: String { case gauge, counter, histogram }

  package private(set) var text = ""

  package init() {}

  /// One metric with its samples; without a sample it is left out.
  package mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: String)]
  ) {
    guard !samples.isEmpty else { return }
    begin(name, kind, help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: (some BinaryInteger)?) {
    add(name, kind, help, value.map { [([], "\($0)")] } ?? [])
  }

  /// Spans as a histogram in seconds, one for each value of a label.
  package mutating func add(
    histogram name: String, _ help: String, label: String, _ spans: [(value: String, spans: [TimeSpan])],
    bounds: [TimeSpan]
  ) {
    guard spans.contains(where: { !$0.spans.isEmpty }) else { return }
    begin(name, .histogram, help)
    for (value, spans) in spans where !spans.isEmpty {
      for bound in bounds {
        line(
          "\(name)_bucket", [(label, value), ("le", Self.seconds(bound))], "\(spans.count { $0 <= bound })")
      }
      line("\(name)_bucket", [(label, value), ("le", "+Inf")], "\(spans.count)")
      let sum = spans.reduce(TimeSpan.zero) { $0 + $1 }
      line("\(name)_sum", [(label, value)], Self.seconds(sum))
      line("\(name)_count", [(label, value)], "\(spans.count)")
    }
  }

  /// Decimal, to the microsecond: `0.25`, `2.5`, `10`.
  package static func seconds(_ span: TimeSpan) -> String {
    let micros = span.nanoseconds.magnitude / 1000
    var text =
      "\(span < .zero ? "-" : "")\(micros / 1_000_000).\(String(1_000_000 + micros % 1_000_000).dropFirst())"
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
    let inside = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    text += "\(name)\(inside.isEmpty ? "" : "{\(inside)}") \(value)\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
