import Ground

/// The admission rule of all listeners: which connections stay open. A value without clock or sockets.
///
/// A *silent* connection has not sent a complete message yet, an *active* one has. Each kind has its own limit, so
/// that many silent connections cannot evict an active one. A new connection is always accepted, and the one that
/// has been silent the longest is closed: refusing new connections would let the first ones block the socket.
public struct Doorkeeper: Hashable, Sendable {
  public struct Limits: Hashable, Sendable {
    /// For a control socket: a command-line program sends its request within 1 ms and disconnects after the answer,
    /// so even 100 at once use half of the places. Together they use a fifth of the usual 1,024 descriptors.
    public var silentMax = 64
    public var activeMax = 128
    /// Long enough for a stopped or swapped-out client; a connection without a request is closed.
    public var firstMessageWithin = TimeSpan.seconds(10)
    /// Requests of one connection that may be unanswered. A client that waits for its answers stays far below.
    public var openRequests = 64

    public init() {}
  }

  /// What to do about a connection that has sent a message.
  public enum Verdict: Hashable, Sendable {
    case stays
    /// It stays, and the other connection is closed to make room.
    case staysInPlaceOf(UInt64)
    case asksTooMuch
  }

  private struct Caller: Hashable, Sendable {
    var id: UInt64
    var lastHeard: Instant
    var openRequests = 0
  }

  private let limits: Limits
  /// Both ordered by their last message, the oldest first.
  private var silent: [Caller] = []
  private var active: [Caller] = []

  public init(limits: Limits = Limits()) { self.limits = limits }

  public var count: Int { silent.count + active.count }

  /// The connection to close to make room; nil if there was room.
  public mutating func arrived(_ id: UInt64, at now: Instant) -> UInt64? {
    silent.append(Caller(id: id, lastHeard: now))
    return silent.count > limits.silentMax ? silent.removeFirst().id : nil
  }

  /// The connection has sent a complete message.
  public mutating func spoke(_ id: UInt64, at now: Instant) -> Verdict {
    guard var caller = take(id) else { return .stays }
    caller.lastHeard = now
    caller.openRequests += 1
    active.append(caller)
    if caller.openRequests > limits.openRequests { return .asksTooMuch }
    return makeRoomForActive().map(Verdict.staysInPlaceOf) ?? .stays
  }

  /// The connection got an answer. A connection without open requests is closed before those that have some.
  public mutating func wasAnswered(_ id: UInt64) {
    guard let index = active.firstIndex(where: { $0.id == id }) else { return }
    active[index].openRequests = max(0, active[index].openRequests - 1)
  }

  public mutating func left(_ id: UInt64) { _ = take(id) }

  /// For a listener without free descriptors: the connection that has been silent the longest.
  public mutating func sendAwayLongestSilent() -> UInt64? {
    silent.isEmpty ? nil : silent.removeFirst().id
  }

  /// When the first silent connection's time is over.
  public var deadline: Instant? { silent.first.map { $0.lastHeard + limits.firstMessageWithin } }

  public mutating func sendAwayOverdue(at now: Instant) -> [UInt64] {
    let overdue = silent.prefix { $0.lastHeard + limits.firstMessageWithin <= now }
    silent.removeFirst(overdue.count)
    return overdue.map(\.id)
  }

  private mutating func makeRoomForActive() -> UInt64? {
    guard active.count > limits.activeMax else { return nil }
    // Not the last one: it has just sent a message.
    let older = active.dropLast()
    return active.remove(at: older.firstIndex { $0.openRequests == 0 } ?? 0).id
  }

  private mutating func take(_ id: UInt64) -> Caller? {
    if let index = silent.firstIndex(where: { $0.id == id }) { return silent.remove(at: index) }
    return active.firstIndex { $0.id == id }.map { active.remove(at: $0) }
  }
}
