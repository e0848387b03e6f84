import PhonePolicy

/// One process of the phone, as it stands in os/processes.jsonl: written at its start and again at its end.
struct ProcessRow: Codable, Hashable {
  var id: UInt64
  var role: String
  var pid: Int32
  var startTime: UInt64
  var path: String
  var launchReason: String
  /// Nanoseconds since 1970 on the phone's clock, and of the monotonic clock.
  var startedWall: Int64
  var startedAt: Int64

  var endedWall: Int64?
  var endedAt: Int64?
  /// `exited` or `signalled`, with the number of the code or signal.
  var how: String?
  var number: Int32?
  var reason: String?
  /// The same for programs; rows of an older phone have none.
  var endCode: EndCode?
  /// What the process itself said last, for programs.
  var ownCode: String?
  var isCrash: Bool?
  var peakFootprintBytes: UInt64?
  var peakResidentBytes: UInt64?
  var cpuMicroseconds: UInt64?
  /// The file with what it wrote to its standard output and error, and the last line of it; nil if it wrote nothing.
  var output: String?
  var lastLine: String?

  enum CodingKeys: String, CodingKey {
    case id, role, pid, path, how, number, reason, output
    case startTime = "start_time"
    case launchReason = "launch_reason"
    case startedWall = "started_wall_ns"
    case startedAt = "started_at_ns"
    case endedWall = "ended_wall_ns"
    case endedAt = "ended_at_ns"
    case endCode = "end_code"
    case ownCode = "own_code"
    case isCrash = "crashed"
    case peakFootprintBytes = "peak_footprint_bytes"
    case peakResidentBytes = "peak_resident_bytes"
    case cpuMicroseconds = "cpu_us"
    case lastLine = "last_line"
  }
}
