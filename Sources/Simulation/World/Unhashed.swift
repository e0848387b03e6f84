/// A value excluded from equality and hashing.
package struct Unhashed<Value: Sendable>: Hashable, Sendable {
  package var value: Value

  init(_ value: Value) { self.value = value }

  package static func == (_: Unhashed, _: Unhashed) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}
