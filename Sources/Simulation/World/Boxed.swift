/// A large value behind one pointer: it is changed in place while nobody shares it, and copied when somebody does. So a
/// world is a few words, and a successor of it costs only what has changed.
public struct Boxed<Value> {
  private final class Storage {
    /// Behind a pointer one part can be read without a copy of the whole.
    let place: UnsafeMutablePointer<Value>
    /// Of the value, once it has been computed for a state that is kept.
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

  /// One part of it.
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

  /// It has not changed since `seal`.
  var isSealed: Bool { storage.digest != nil }

  /// Computes the digest once for all worlds that will share the value. Only before it is shared.
  mutating func seal() {
    if storage.digest == nil { storage.digest = Digest.of(storage.place.pointee) }
  }
}

// The storage is never changed while it is shared.
extension Boxed: @unchecked Sendable where Value: Sendable {}

/// 64 bits that tell one value from another for as long as this program runs: they are others in the next run, and never
/// written down.
enum Digest {
  static func of(_ value: some Hashable) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(value)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
