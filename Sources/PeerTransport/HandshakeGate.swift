import CoreShape
import Lightning

/// Which first acts are worth an answer: it costs two multiplications on the curve, and a recorded act costs its sender nothing.
/// A value without clock or sockets.
public struct HandshakeGate: Sendable {
  public struct Limits: Hashable, Sendable {
    /// Of one address, that lead to nothing. A wallet dials once in a while, and its handshakes count only until they are
    /// done; as many cost a tenth of one core.
    public var perSecond = 400
    /// Of how many first acts it is known that they have been answered.
    public var remembered = 8192
    public var sources = 1024

    public init() {}
  }

  private struct Bucket: Sendable {
    var left: Int
    var refilledAt: Instant
  }

  private let limits: Limits
  private var buckets: [UInt32: Bucket] = [:]
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

  /// The handshake was finished: its source is charged nothing.
  public mutating func finished(from source: UInt32) {
    guard let bucket = buckets[source] else { return }
    buckets[source]?.left = min(bucket.left + 1, limits.perSecond)
  }

  private mutating func takesOne(of source: UInt32, at now: Instant) -> Bool {
    if buckets[source] == nil { forgetTheQuiet(at: now) }
    // A crowd of addresses shares one.
    let place = buckets[source] == nil && buckets.count >= limits.sources ? 0 : source
    var bucket = buckets[place] ?? Bucket(left: limits.perSecond, refilledAt: now)
    if now - bucket.refilledAt >= .seconds(1) { bucket = Bucket(left: limits.perSecond, refilledAt: now) }
    let isLeft = bucket.left > 0
    if isLeft { bucket.left -= 1 }
    buckets[place] = bucket
    return isLeft
  }

  private mutating func forgetTheQuiet(at now: Instant) {
    guard buckets.count >= limits.sources else { return }
    buckets = buckets.filter { now - $0.value.refilledAt < .seconds(1) }
  }

  private mutating func remember(_ key: UInt64) {
    seen.insert(key)
    guard order.count >= limits.remembered else { return order.append(key) }
    seen.remove(order[oldest])
    order[oldest] = key
    oldest = (oldest + 1) % order.count
  }
}
