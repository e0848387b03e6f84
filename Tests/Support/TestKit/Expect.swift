@_exported import Testing

/// Compares two values, and prints both if they differ. For `==` in `#expect` the compiler needs several times as long, in
/// some thousand places.
public func expect<Value: Equatable>(
  _ value: Value, is expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  at place: SourceLocation = #_sourceLocation
) {
  guard value != expected else { return }
  let values = "\(String(describingForTest: value)) is not \(String(describingForTest: expected))"
  Issue.record("\(values)\(comment().map { ": \($0.rawValue)" } ?? "")", sourceLocation: place)
}
