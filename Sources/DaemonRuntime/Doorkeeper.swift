import Ground

/// Who may stay at a door where anybody can knock: the one rule of all listeners. A value without clock or sockets.
///
/// A *stranger* has not said anything whole yet, a *guest* has. Each kind has places of its own, so that no crowd of
/// strangers turns a guest out. A newcomer always gets in, and then whoever has been silent the longest goes: refusing
/// the newcomer would leave the door to those who came first and hold on.
public struct Doorkeeper: Hashable, Sendable {
  public struct Limits: Hashable, Sendable {
    /// Those of a control socket: a command line says its request within a millisecond and leaves with the answer, so
    /// that even a hundred of them at once leave half of the places empty. All together they use a fifth of the 1,024
    /// descriptors that a process usually has.
    public var strangers = 64
    public var guests = 128
    /// A stopped or swapped-out client still gets in; one that wants nothing does not stay.
    public var firstWordWithin = TimeSpan.seconds(10)
    /// What one guest may have asked without having its answers. Nobody who waits for them comes near.
    public var openRequests = 64

    public init() {}
  }

  /// What is to be done about a caller that has spoken.
  public enum Verdict: Hashable, Sendable {
    case stays
    /// It stays, and that one goes to make room.
    case staysInPlaceOf(UInt64)
    case asksTooMuch
  }

  private struct Caller: Hashable, Sendable {
    var id: UInt64
    var lastHeard: Instant
    var openRequests = 0
  }

  private let limits: Limits
  /// Both in the order in which they were last heard, the longest silent first.
  private var strangers: [Caller] = []
  private var guests: [Caller] = []

  public init(limits: Limits = Limits()) { self.limits = limits }

  public var count: Int { strangers.count + guests.count }

  /// Whom to send away so that there is room; nil when there was room.
  public mutating func arrived(_ id: UInt64, at now: Instant) -> UInt64? {
    strangers.append(Caller(id: id, lastHeard: now))
    return strangers.count > limits.strangers ? strangers.removeFirst().id : nil
  }

  /// It has said something whole.
  public mutating func spoke(_ id: UInt64, at now: Instant) -> Verdict {
    guard var caller = take(id) else { return .stays }
    caller.lastHeard = now
    caller.openRequests += 1
    guests.append(caller)
    if caller.openRequests > limits.openRequests { return .asksTooMuch }
    return makeRoomForGuests().map(Verdict.staysInPlaceOf) ?? .stays
  }

  /// It got an answer: who waits for none goes before those who do.
  public mutating func wasAnswered(_ id: UInt64) {
    guard let index = guests.firstIndex(where: { $0.id == id }) else { return }
    guests[index].openRequests = max(0, guests[index].openRequests - 1)
  }

  public mutating func left(_ id: UInt64) { _ = take(id) }

  /// For a door that has no descriptors left: the stranger that has waited longest.
  public mutating func sendAwayAStranger() -> UInt64? {
    strangers.isEmpty ? nil : strangers.removeFirst().id
  }

  /// When the first stranger's time is over.
  public var deadline: Instant? { strangers.first.map { $0.lastHeard + limits.firstWordWithin } }

  public mutating func sendAwayOverdue(at now: Instant) -> [UInt64] {
    let overdue = strangers.prefix { $0.lastHeard + limits.firstWordWithin <= now }
    strangers.removeFirst(overdue.count)
    return overdue.map(\.id)
  }

  private mutating func makeRoomForGuests() -> UInt64? {
    guard guests.count > limits.guests else { return nil }
    // Not the last one: it has just spoken.
    let older = guests.dropLast()
    return guests.remove(at: older.firstIndex { $0.openRequests == 0 } ?? 0).id
  }

  private mutating func take(_ id: UInt64) -> Caller? {
    if let index = strangers.firstIndex(where: { $0.id == id }) { return strangers.remove(at: index) }
    return guests.firstIndex { $0.id == id }.map { guests.remove(at: $0) }
  }
}
