/// A value excluded from equality and hashing.
struct Unhashed<Value: Sendable>: Hashable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static func == (_: Unhashed, _: Unhashed) -> Bool { true }
  func hash(into _: inout Hasher) {}
}
