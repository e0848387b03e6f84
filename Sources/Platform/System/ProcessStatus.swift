/// The system's current facts about one process. A pid alone is never an identity: pids are reused.
public struct ProcessStatus: Hashable, Sendable {
  /// As in `ps`: `R` running, `S` sleeping, `T` or `t` stopped, `Z` zombie.
  public var state: UInt8
  public var parent: Int32
  /// The process is exiting, or its fatal signal has been sent.
  public var isExiting: Bool
  /// The start time in the system's own unit; only comparable within one boot.
  public var startTime: UInt64

  /// Stopped by a signal or a tracer.
  public var isStopped: Bool { state == UInt8(ascii: "T") || state == UInt8(ascii: "t") }

  /// A zombie that its parent has not reaped yet.
  public var isDead: Bool { state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") }
}
