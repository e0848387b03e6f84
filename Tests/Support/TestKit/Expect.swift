@_exported import Testing

/// Compares two values, and prints both if they differ, and before two pages their first line that differs. For `==` in
/// `#expect` the compiler needs several times as long, in some thousand places.
public func expect<Value: Equatable>(
  _ value: Value, is expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  at place: SourceLocation = #_sourceLocation
) {
  guard value != expected else { return }
  let values = "\(String(describingForTest: value)) is not \(String(describingForTest: expected))"
  Issue.record(
    "\(differingLine(value, expected) ?? "")\(values)\(comment().map { ": \($0.rawValue)" } ?? "")",
    sourceLocation: place)
}

/// Nil unless both values are texts of several lines.
private func differingLine(_ value: Any, _ expected: Any) -> String? {
  let pages = [value, expected].compactMap { $0 as? String }.map {
    $0.split(separator: "\n", omittingEmptySubsequences: false)
  }
  guard pages.count == 2, pages.allSatisfy({ $0.count > 1 }) else { return nil }
  let same = zip(pages[0], pages[1]).prefix { $0 == $1 }.count
  let lines = pages.map { $0.dropFirst(same).first.map { "“\($0)”" } ?? "no line" }
  return "line \(same + 1) is \(lines[0]) in place of \(lines[1])\n"
}
