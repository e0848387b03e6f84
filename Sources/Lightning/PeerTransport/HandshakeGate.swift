import Ground

/// Which first acts are worth an answer: it costs two multiplications on the curve, and a recorded act costs its sender nothing.
/// A value without clock or sockets.
public struct HandshakeGate: Sendable {
  public struct Limits: Hashable, Sendable {
    /// Of one address, that lead to nothing; as many again of all addresses together that are new in a crowd. A wallet dials
    /// once in a while, and its handshakes count only until they are done; as many cost a tenth of one core.
    public var perSecond = 400
    /// Of how many first acts it is known that they have been answered.
    public var remembered = 8192
    /// Addresses that are told apart.
    public var sources = 1024

    public init() {}
  }

  private struct Bucket: Sendable {
    var left: Int
    var refilledAt: Instant
    var usedAt: Instant
    /// A handshake of this address was finished: somebody there knows our id.
    var isKnown = false

    init(left: Int, at now: Instant) {
      self.left = left
      refilledAt = now
      usedAt = now
    }

    /// One comes back after the other: whoever sends a second's worth at once takes nobody's place for the rest of it.
    mutating func takesOne(of perSecond: Int, at now: Instant) -> Bool {
      let pace = 1_000_000_000 / Int64(max(perSecond, 1))
      let due = (now - refilledAt).nanoseconds / pace
      if due > 0 {
        left = Int(min(Int64(perSecond), Int64(left) + min(due, Int64(perSecond))))
        refilledAt = refilledAt + TimeSpan(nanoseconds: due * pace)
      }
      usedAt = now
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }

  private static let sweepInterval = TimeSpan.milliseconds(100)

  private let limits: Limits
  private var buckets: [UInt32: Bucket] = [:]
  /// Of those that are new while all places are taken.
  private var crowd: Bucket?
  private var sweptAt: Instant?
  /// Eight bytes of each one's drawn key: nobody draws the same twice.
  private var seen: Set<UInt64> = []
  private var order: [UInt64] = []
  private var oldest = 0

  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Whether this first act is answered.
  public mutating func admits(_ act: ArraySlice<UInt8>, from source: UInt32, at now: Instant) -> Bool {
    let key = act.dropFirst(2).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard !seen.contains(key) else { return false }
    guard takesOne(of: source, at: now) else { return false }
    remember(key)
    return true
  }

  /// The handshake was finished: its source is charged nothing, and no crowd that knows nothing takes its place.
  public mutating func finished(from source: UInt32, at now: Instant) {
    if buckets[source] == nil { settle(source, Bucket(left: limits.perSecond - 1, at: now)) }
    guard var bucket = buckets[source] else { return }
    bucket.left = min(bucket.left + 1, limits.perSecond)
    bucket.isKnown = true
    buckets[source] = bucket
  }

  private mutating func takesOne(of source: UInt32, at now: Instant) -> Bool {
    if var bucket = buckets[source] {
      defer { buckets[source] = bucket }
      return bucket.takesOne(of: limits.perSecond, at: now)
    }
    forgetTheQuiet(at: now)
    if buckets.count < limits.sources {
      buckets[source] = Bucket(left: limits.perSecond - 1, at: now)
      return true
    }
    var shared = crowd ?? Bucket(left: limits.perSecond, at: now)
    let isLeft = shared.takesOne(of: limits.perSecond, at: now)
    crowd = shared
    if isLeft { settle(source, Bucket(left: 0, at: now)) }
    return isLeft
  }

  /// In the place of the one that was heard least recently; one that has finished a handshake is the last to go.
  private mutating func settle(_ source: UInt32, _ bucket: Bucket) {
    if buckets.count >= limits.sources {
      let least = buckets.min {
        ($0.value.isKnown ? 1 : 0, $0.value.usedAt) < ($1.value.isKnown ? 1 : 0, $1.value.usedAt)
      }
      if let least { buckets[least.key] = nil }
    }
    buckets[source] = bucket
  }

  /// Whose bucket is full again needs none.
  private mutating func forgetTheQuiet(at now: Instant) {
    guard buckets.count >= limits.sources else { return }
    if let sweptAt, now - sweptAt < Self.sweepInterval { return }
    sweptAt = now
    buckets = buckets.filter { $0.value.isKnown || now - $0.value.usedAt < .seconds(1) }
  }

  private mutating func remember(_ key: UInt64) {
    seen.insert(key)
    guard order.count >= limits.remembered else { return order.append(key) }
    seen.remove(order[oldest])
    order[oldest] = key
    oldest = (oldest + 1) % order.count
  }
}
