/// A large value behind one pointer: it is changed in place while nobody shares it, and copied when somebody does. So a
/// world is a few words, and a successor of it costs only what has changed.
public struct Boxed<Value> {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  public init(_ value: Value) { storage = Storage(value) }

  public var value: Value {
    @inline(__always) _read { yield storage.value }
    @inline(__always) _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}

extension Boxed: Equatable where Value: Equatable {
  public static func == (left: Boxed, right: Boxed) -> Bool {
    left.storage === right.storage || left.storage.value == right.storage.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { storage.value.hash(into: &hasher) }
}

// The storage is never changed while it is shared.
extension Boxed: @unchecked Sendable where Value: Sendable {}
