/// What the system says about one process now. A pid alone is never an identity: it is used again.
public struct ProcessStatus: Hashable, Sendable {
  /// As `ps` writes it: `R` running, `S` sleeping, `T` or `t` stopped, `Z` dead and not waited for.
  public var state: UInt8
  public var parent: Int32
  /// The kernel has begun to take it apart, or the signal that it dies of has been sent.
  public var isExiting: Bool
  /// When it started, in the system's own unit: to be compared with another one of the same boot, and nothing else.
  public var startTime: UInt64

  public init(state: UInt8, parent: Int32, isExiting: Bool, startTime: UInt64) {
    self.state = state
    self.parent = parent
    self.isExiting = isExiting
    self.startTime = startTime
  }

  /// By a signal or a tracer.
  public var isStopped: Bool { state == UInt8(ascii: "T") || state == UInt8(ascii: "t") }

  /// It only waits for its parent to take notice.
  public var isDead: Bool { state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") }
}
