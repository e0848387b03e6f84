import Ground

/// One process of the phone, as in os/processes.jsonl: written at its start and again at its end.
public struct ProcessRow: NumberedRow, Hashable {
  public var id: UInt64
  public var role: String
  public var pid: Int32
  public var startTime: UInt64
  public var path: String
  public var launchReason: String
  /// Nanoseconds since 1970 on the phone's clock, and of the monotonic clock.
  public var startedWallNs: Int64
  public var startedAtNs: Int64
  /// The phone's boot, as in journals: `started_at_ns` begins again with each boot of the machine.
  public var boot: String?

  public var endedWallNs: Int64?
  public var endedAtNs: Int64?
  /// `exited` or `signalled`, with the number of the code or signal.
  public var how: String?
  public var number: Int32?
  public var reason: String?
  /// The reason's code for programs.
  public var endCode: EndCode?
  /// The code that the process itself announced.
  public var ownCode: String?
  public var hasCrashed: Bool?
  public var peakFootprintBytes: UInt64?
  public var peakResidentBytes: UInt64?
  public var cpuUs: UInt64?
  /// The file with its standard output and error, and the last line of it; nil if there was no output.
  public var output: String?
  public var lastLine: String?

  public var hasEnded: Bool { reason != nil || endedAtNs != nil }
}

extension ProcessRow {
  public init(
    id: UInt64, role: Role, pid: Int32, startTime: UInt64, path: String, reason: LaunchReason, wall: Int64,
    at: Int64
  ) {
    self.init(
      id: id, role: role.rawValue, pid: pid, startTime: startTime, path: path,
      launchReason: reason.description, startedWallNs: wall, startedAtNs: at)
  }
}
