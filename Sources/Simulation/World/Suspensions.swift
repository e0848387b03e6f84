import Ground

/// How often the phone suspended the processes.
public struct Suspensions: Hashable, Sendable {
  public private(set) var app = 0
  public private(set) var ofExtension = 0
  /// Of these, with a lock in the container: only a process that was frozen until a moment ago may have one.
  public private(set) var withLock = 0

  public init() {}

  mutating func note(_ role: Role, holdsLock: Bool) {
    if role == .app { app += 1 } else { ofExtension += 1 }
    if holdsLock { withLock += 1 }
  }

  public mutating func add(_ other: Suspensions) {
    app += other.app
    ofExtension += other.ofExtension
    withLock += other.withLock
  }
}
