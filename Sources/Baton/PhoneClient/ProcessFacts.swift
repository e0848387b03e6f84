import Ground
import DaemonRuntime
import Reports

/// One process of the wallet as `baton ps` tells of it: iosd's row, and what it is now.
package struct ProcessFacts: Hashable, Sendable {
  package struct Now: Report, Hashable {
    var process: String
    /// running, suspended (by the phone, which stops it with the same signal as anybody else), stopped or ended.
    var state: String
    /// While it runs.
    var footprintBytes: UInt64?
    var residentBytes: UInt64?
  }

  package let now: Now
  package private(set) var row: ProcessRow

  package init(_ row: ProcessRow, isSuspended: Bool = false, memory: MemoryFigures? = nil) {
    let state =
      row.hasEnded
      ? "ended" : isSuspended ? "suspended" : ProcessTable.isStopped(row.pid) ? "stopped" : "running"
    now = Now(
      process: row.processName, state: state, footprintBytes: memory?.footprintBytes,
      residentBytes: memory?.residentBytes)
    self.row = row
    self.row.peakResidentBytes = memory?.peakResidentBytes ?? row.peakResidentBytes
  }

  package var document: Joined<Now, ProcessRow> { Joined(now, row) }

  package func cells(now instant: Instant) -> [String] {
    let end = row.endedAt.map { Instant(nanoseconds: $0) } ?? instant
    // What was never measured is no 0.0.
    let size = { (bytes: UInt64?) in bytes.map(HumanText.megabytes) ?? (row.hasEnded ? "?" : "") }
    return [
      now.process, "\(row.pid)", now.state,
      HumanText.span(end - Instant(nanoseconds: row.startedAt)),
      now.footprintBytes.map(HumanText.megabytes) ?? "",
      size(row.peakFootprintBytes), now.residentBytes.map(HumanText.megabytes) ?? "",
      size(row.peakResidentBytes),
      [row.launchReason, row.wholeReason].compactMap { $0 }.joined(separator: "; "),
    ]
  }
}

extension ProcessRow {
  /// The rows of iosd's ledger as they stand there.
  package static func written(in path: String) -> [ProcessRow] {
    rows(in: (try? SmallFile.readOwn(path, limit: 64 * 1024 * 1024)) ?? [])
  }

  package var processName: String { Role(rawValue: role)?.processName ?? role }

  /// Why it ended; of a crash with what the process itself had to say.
  package var wholeReason: String? {
    guard let reason, isCrash == true else { return reason }
    guard let output else { return "\(reason); it wrote nothing to its standard error" }
    return "\(reason); its last line: \(lastLine ?? "an empty one"); all that it wrote is in \(output)"
  }
}
