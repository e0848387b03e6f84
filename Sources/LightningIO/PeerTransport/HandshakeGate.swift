import Ground

/// A rate limit on the first acts that are answered: an answer costs two multiplications on the curve, while
/// replaying an act costs its sender nothing. A value without clock or sockets.
public struct HandshakeGate: Sendable {
  public struct Limits: Hashable, Sendable {
    /// Unfinished handshakes per address, and for all new addresses together once `sources` is full. A wallet dials
    /// rarely, and finished handshakes do not count; 400 cost a tenth of a core.
    public var perSecond = 400
    /// The number of remembered first acts: a replayed one is not answered.
    public var remembered = 8192
    /// The number of addresses with a limit of their own.
    public var sources = 1024

    public init() {}
  }

  private static let sweepInterval = TimeSpan.milliseconds(100)

  private let limits: Limits
  private var buckets: [UInt32: TokenBucket] = [:]
  /// Shared by new addresses while `sources` is full.
  private var sharedBucket: TokenBucket?
  private var sweptAt: Instant?
  /// Eight bytes of each act's ephemeral key, which is random.
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

  /// The handshake was finished: it does not count, and its source is kept before unknown ones.
  public mutating func finished(from source: UInt32, at now: Instant) {
    if buckets[source] == nil { insert(source, TokenBucket(left: limits.perSecond - 1, at: now)) }
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
    dropFullBuckets(at: now)
    if buckets.count < limits.sources {
      buckets[source] = TokenBucket(left: limits.perSecond - 1, at: now)
      return true
    }
    var shared = sharedBucket ?? TokenBucket(left: limits.perSecond, at: now)
    let isLeft = shared.takesOne(of: limits.perSecond, at: now)
    sharedBucket = shared
    if isLeft { insert(source, TokenBucket(left: 0, at: now)) }
    return isLeft
  }

  /// Replaces the least recently used source, one without a finished handshake first.
  private mutating func insert(_ source: UInt32, _ bucket: TokenBucket) {
    if buckets.count >= limits.sources {
      let least = buckets.min {
        ($0.value.isKnown ? 1 : 0, $0.value.usedAt) < ($1.value.isKnown ? 1 : 0, $1.value.usedAt)
      }
      if let least { buckets[least.key] = nil }
    }
    buckets[source] = bucket
  }

  /// Drops full buckets.
  private mutating func dropFullBuckets(at now: Instant) {
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

/// A rate limit. Refilled evenly: a burst does not use up the limit for the rest of the second.
public struct TokenBucket: Sendable {
  var left: Int
  private var refilledAt: Instant
  private(set) var usedAt: Instant
  /// A handshake of this address was finished: a node there knows our id.
  var isKnown = false

  public init(left: Int, at now: Instant) {
    self.left = left
    refilledAt = now
    usedAt = now
  }

  public mutating func takesOne(of perSecond: Int, at now: Instant) -> Bool {
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
