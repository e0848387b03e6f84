import Ground

/// What the app has asked for, what runs, and what the scheduler knows of the person's habits.
public struct BackgroundTasks: Hashable, Sendable {
  public struct Pending: Hashable, Codable, Sendable {
    public var number: UInt64
    public var request: TaskRequest
    public var dueAt: Instant
    public var hindrance: TaskHindrance
    /// Its time has come; now it waits for conditions alone.
    public var isDue = false
    var wasDeferred = false
  }

  public struct Running: Hashable, Codable, Sendable {
    public var number: UInt64
    public var request: TaskRequest
    public var since: Instant
    /// Nil in a debug build, which has no limits.
    public var expiresAt: Instant?
    /// One that was started by hand runs whatever the device is like.
    var heedsConditions = true
    /// Set once it was told to end.
    public var expiry: TaskExpiry?
    public var releaseAt: Instant?

    var deadline: Instant? { releaseAt ?? expiresAt }
  }

  /// An app that nobody wanted to see is started for nothing.
  public enum Use: Hashable, Codable, Sendable {
    case neverOpened
    case opened
    case swipedAway
  }

  public internal(set) var pending: [Pending] = []
  public internal(set) var running: [Running] = []
  public internal(set) var use = Use.neverOpened
  /// The next refresh comes no sooner, whatever was asked for.
  var nextRefresh: Instant?
  var lastNumber: UInt64 = 0
  var chance: Chance

  init(seed: UInt64) { chance = Chance(seed: seed) }

  var deadline: Instant? {
    var earliest: Instant?
    for candidate in pending.map({ $0.isDue ? nil : $0.dueAt }) + running.map(\.deadline) {
      guard let candidate else { continue }
      earliest = min(earliest ?? candidate, candidate)
    }
    return earliest
  }
}

extension BackgroundTasks: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    nextRefresh.shift(by: span)
    for index in pending.indices { pending[index].dueAt.shift(by: span) }
    for index in running.indices {
      running[index].since.shift(by: span)
      running[index].expiresAt.shift(by: span)
      running[index].releaseAt.shift(by: span)
    }
  }
}

extension Chance {
  /// From no time to the bound, which is among them.
  mutating func span(upTo bound: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(clamping: number(upTo: UInt64(clamping: bound.nanoseconds))))
  }
}
