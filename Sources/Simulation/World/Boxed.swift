/// A large value behind one pointer, copied on write only while it is shared. A copy of a world is then a few words,
/// and a successor costs only its changed parts.
public struct Boxed<Value> {
  private final class Storage {
    /// A raw pointer allows reading one part without copying the whole value.
    let place: UnsafeMutablePointer<Value>
    /// Digest of the value, cached by `seal`.
    var digest: UInt64?

    init(_ value: Value) {
      place = .allocate(capacity: 1)
      place.initialize(to: value)
    }

    deinit {
      place.deinitialize(count: 1)
      place.deallocate()
    }
  }

  private var storage: Storage

  public init(_ value: Value) { storage = Storage(value) }

  /// Reads one part of the value in place.
  @inline(__always)
  func part<Part>(_ path: (UnsafeMutablePointer<Value>) -> Part) -> Part { path(storage.place) }

  public var value: Value {
    @inline(__always) _read { yield storage.place.pointee }
    @inline(__always) _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.place.pointee) }
      storage.digest = nil
      yield &storage.place.pointee
    }
  }
}

extension Boxed: Equatable where Value: Equatable {
  public static func == (left: Boxed, right: Boxed) -> Bool {
    left.storage === right.storage || left.storage.place.pointee == right.storage.place.pointee
  }
}

extension Boxed: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storage.digest ?? Digest.of(storage.place.pointee))
  }

  /// Unchanged since `seal`.
  var isSealed: Bool { storage.digest != nil }

  /// Computes the digest once for all worlds that will share the value. Call it before the value is shared.
  mutating func seal() { if storage.digest == nil { storage.digest = Digest.of(storage.place.pointee) } }
}

// The storage is never changed while it is shared.
extension Boxed: @unchecked Sendable where Value: Sendable {}

/// A 64-bit hash of a value, seeded per program run; never stored.
enum Digest {
  static func of(_ value: some Hashable) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(value)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

/// A value excluded from equality and hashing.
package struct Unhashed<Value: Sendable>: Hashable, Sendable {
  package var value: Value

  init(_ value: Value) { self.value = value }

  package static func == (_: Unhashed, _: Unhashed) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}
