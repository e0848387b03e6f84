/// A process, also after its pid is reused: pid, start time and boot together.
public struct ProcessIdentity: Hashable, Codable, Sendable {
  public var pid: Int32
  /// When the process started, in the system's own unit (on Linux ticks since boot): only compared for equality.
  public var startTime: UInt64
  public var boot: BootID

  public init(pid: Int32, startTime: UInt64, boot: BootID) {
    self.pid = pid
    self.startTime = startTime
    self.boot = boot
  }
}

/// One boot of one phone. Instants of different boots are never compared.
public struct BootID: Hashable, Codable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
