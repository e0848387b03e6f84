import Ground

/// The admission rule of all listeners: which connections stay open. A value without clock or sockets.
///
/// A new connection is always accepted, and an old one closed for it: the one that has been silent the longest, first
/// of those that have never sent a message. Refusing new connections would let the first ones block the socket.
public struct Doorkeeper: Hashable, Sendable {
  public struct Limits: Hashable, Sendable {
    /// For a control socket: a command-line program sends its request within 1 ms and disconnects after the answer,
    /// so even 100 at once use half of the places. Together they use a fifth of the usual 1,024 descriptors.
    public var connectionsMax = 192
    /// Long enough for a stopped or swapped-out client; a connection without a request is closed.
    public var firstMessageWithin = TimeSpan.seconds(10)
    /// Requests of one connection that may be unanswered. A client that waits for its answers stays far below.
    public var openRequests = 64

    public init() {}
  }

  private struct Caller: Hashable, Sendable {
    var id: UInt64
    var lastHeard: Instant
    var hasSpoken = false
    var openRequests = 0
  }

  private let limits: Limits
  /// Ordered by their last message or their arrival, the oldest first.
  private var callers: [Caller] = []

  public init(limits: Limits = Limits()) { self.limits = limits }

  public var count: Int { callers.count }

  /// The connection to close to make room; nil if there was room.
  public mutating func arrived(_ id: UInt64, at now: Instant) -> UInt64? {
    callers.append(Caller(id: id, lastHeard: now))
    guard callers.count > limits.connectionsMax else { return nil }
    let older = callers.dropLast()
    let idle = older.firstIndex { !$0.hasSpoken } ?? older.firstIndex { $0.openRequests == 0 }
    return callers.remove(at: idle ?? 0).id
  }

  /// The connection has sent a complete message. False if too many of its requests are unanswered.
  public mutating func spoke(_ id: UInt64, at now: Instant) -> Bool {
    guard var caller = take(id) else { return true }
    caller.lastHeard = now
    caller.hasSpoken = true
    caller.openRequests += 1
    callers.append(caller)
    return caller.openRequests <= limits.openRequests
  }

  /// The connection got an answer. A connection without open requests is closed before those that have some.
  public mutating func wasAnswered(_ id: UInt64) {
    guard let index = callers.firstIndex(where: { $0.id == id }) else { return }
    callers[index].openRequests = max(0, callers[index].openRequests - 1)
  }

  public mutating func left(_ id: UInt64) { _ = take(id) }

  /// For a listener without free descriptors: the connection that has been silent the longest.
  public mutating func sendAwayLongestSilent() -> UInt64? {
    callers.firstIndex { !$0.hasSpoken }.map { callers.remove(at: $0).id }
  }

  /// When the first silent connection's time is over.
  public var deadline: Instant? {
    callers.first { !$0.hasSpoken }.map { $0.lastHeard + limits.firstMessageWithin }
  }

  public mutating func sendAwayOverdue(at now: Instant) -> [UInt64] {
    let overdue = callers.filter { !$0.hasSpoken && $0.lastHeard + limits.firstMessageWithin <= now }
    for caller in overdue { left(caller.id) }
    return overdue.map(\.id)
  }

  private mutating func take(_ id: UInt64) -> Caller? {
    callers.firstIndex { $0.id == id }.map { callers.remove(at: $0) }
  }
}
