import Ground
import JSON
import DaemonRuntime
import PhonePolicy

/// One row of iosd's process ledger.
struct ProcessFacts: Hashable, Sendable {
  var id: UInt64
  var role: String
  var pid: Int32
  var launchReason: String?
  var startedAt: Int64
  var endedAt: Int64?
  var reason: String?
  var endCode: EndCode?
  var peakFootprintBytes: UInt64?
  var peakResidentBytes: UInt64?
  var isCrash = false
  /// The file with what it wrote to its standard output and error, and the last line of it.
  var output: String?
  var lastLine: String?
  /// By the phone, which stops it with the same signal as anybody else.
  var isSuspended = false
  /// While it runs.
  var memory: MemoryFigures?
  private var object: JSONValue

  init?(_ object: JSONValue) {
    guard let id = object["id"]?.uint, let role = object["role"]?.text,
      let pid = object["pid"]?.int.flatMap({ Int32(exactly: $0) }), let started = object["started_at_ns"]?.int
    else { return nil }
    self.id = id
    self.role = role
    self.pid = pid
    self.object = object
    launchReason = object["launch_reason"]?.text
    startedAt = started
    endedAt = object["ended_at_ns"]?.int
    reason = object["reason"]?.text
    endCode = (object["end_code"]?.text).flatMap(EndCode.init)
    isCrash = object["crashed"]?.flag ?? false
    output = object["output"]?.text
    lastLine = object["last_line"]?.text
    peakFootprintBytes = object["peak_footprint_bytes"]?.uint
    peakResidentBytes = object["peak_resident_bytes"]?.uint
  }

  /// The rows of iosd's ledger as they stand there.
  static func written(in path: String) -> [ProcessFacts] {
    ((try? SmallFile.readOwn(path, limit: 64 * 1024 * 1024)) ?? []).split(separator: UInt8(ascii: "\n"))
      .compactMap {
        JSONValue(parsing: Array($0)).flatMap(ProcessFacts.init)
      }
  }

  /// Each process is written at its start and again at its end: the last row counts, in the place of the first.
  static func lastOfEach(_ rows: [ProcessFacts]) -> [ProcessFacts] {
    var places: [UInt64: Int] = [:]
    var last: [ProcessFacts] = []
    for row in rows {
      if let place = places[row.id] {
        last[place] = row
      } else {
        places[row.id] = last.count
        last.append(row)
      }
    }
    return last
  }

  var processName: String { Role(rawValue: role)?.processName ?? role }
  var hasEnded: Bool { reason != nil || endedAt != nil }

  /// Why it ended; of a crash with what the process itself had to say.
  var wholeReason: String? {
    guard let reason, isCrash else { return reason }
    guard let output else { return "\(reason); it wrote nothing to its standard error" }
    return "\(reason); its last line: \(lastLine ?? "an empty one"); all that it wrote is in \(output)"
  }

  var state: String {
    if hasEnded { return "ended" }
    return isSuspended ? "suspended" : ProcessTable.isStopped(pid) ? "stopped" : "running"
  }

  func cells(now: Instant) -> [String] {
    let end = endedAt.map { Instant(nanoseconds: $0) } ?? now
    // What was never measured is no 0.0.
    let size = { (bytes: UInt64?) in bytes.map(HumanText.megabytes) ?? (hasEnded ? "?" : "") }
    return [
      processName, "\(pid)", state,
      HumanText.span(end - Instant(nanoseconds: startedAt)),
      memory.map { HumanText.megabytes($0.footprintBytes) } ?? "",
      size(peakFootprintBytes), memory.map { HumanText.megabytes($0.residentBytes) } ?? "",
      size(peakResidentBytes),
      [launchReason, wholeReason].compactMap { $0 }.joined(separator: "; "),
    ]
  }

  var json: String {
    var row = JSONObject()
    row.set("process", processName)
    row.set("role", role)
    row.set("pid", pid)
    row.set("state", state)
    row.set("started_at_ns", startedAt)
    row.set("ended_at_ns", ifPresent: endedAt)
    row.set("launch_reason", ifPresent: launchReason)
    row.set("reason", ifPresent: reason)
    row.set("end_code", ifPresent: endCode?.rawValue)
    row.set("own_code", ifPresent: object["own_code"]?.text)
    row.set("output", ifPresent: output)
    row.set("last_line", ifPresent: lastLine)
    row.set("how", ifPresent: object["how"]?.text)
    row.set("number", ifPresent: object["number"]?.int)
    row.set("footprint_bytes", ifPresent: memory?.footprintBytes)
    row.set("resident_bytes", ifPresent: memory?.residentBytes)
    row.set("peak_footprint_bytes", ifPresent: peakFootprintBytes)
    row.set("peak_resident_bytes", ifPresent: peakResidentBytes)
    row.set("cpu_us", ifPresent: object["cpu_us"]?.uint)
    return row.text
  }
}
