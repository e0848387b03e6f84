/// Something that is kept with a state and does not tell it from another.
struct Aside<Value: Sendable>: Hashable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static func == (_: Aside, _: Aside) -> Bool { true }
  func hash(into _: inout Hasher) {}
}
