import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy

/// A wallet process as it is now, beside iosd's row.
package struct ProcessNow: Report, Hashable {
  package var process: String
  /// running, suspended (by iosd, with SIGSTOP), stopped (by another process) or ended.
  package var state: String
  /// Only while it runs.
  package var footprintBytes: UInt64?
  package var residentBytes: UInt64?
}

/// A wallet process for `baton list processes`.
package typealias ProcessFacts = Joined<ProcessNow, ProcessRow>

extension ProcessFacts {
  init(_ row: ProcessRow, isSuspended: Bool = false, memory: MemoryFigures? = nil) {
    let state =
      row.hasEnded
      ? "ended" : isSuspended ? "suspended" : ProcessTable.isStopped(row.pid) ? "stopped" : "running"
    self.init(
      ProcessNow(
        process: row.processName, state: state, footprintBytes: memory?.footprintBytes,
        residentBytes: memory?.residentBytes), row)
    second.peakResidentBytes = memory?.peakResidentBytes ?? row.peakResidentBytes
  }

  package func cells(now instant: Instant) -> [String] {
    let end = second.endedAtNs.map { Instant(nanoseconds: $0) } ?? instant
    // An ended process without a measurement shows `?`.
    let size = { (bytes: UInt64?) in bytes.map(HumanText.megabytes) ?? (second.hasEnded ? "?" : "") }
    return [
      first.process, "\(second.pid)", first.state,
      HumanText.span(end - Instant(nanoseconds: second.startedAtNs)),
      first.footprintBytes.map(HumanText.megabytes) ?? "", size(second.peakFootprintBytes),
      first.residentBytes.map(HumanText.megabytes) ?? "", size(second.peakResidentBytes),
      [second.launchReason, second.wholeReason].compactMap { $0 }.joined(separator: "; "),
    ]
  }
}

extension ProcessRow {
  /// The rows of iosd's ledger file.
  package static func written(in path: String) -> [ProcessRow] {
    rows(in: (try? SmallFile.readOwn(path, limit: 64 * 1024 * 1024)) ?? [])
  }

  /// An extension of ours has its program's name; the team's own programs have the name of what they stand for.
  package var processName: String {
    let program = path.split(separator: "/").last.map(String.init) ?? ""
    return WalletProfile.Extension(rawValue: program)?.program ?? Role(rawValue: role)?.processName ?? role
  }

  /// It crashed, gave up or broke a limit of the phone. That the locked phone withheld the seed is no failure.
  package var hasFailed: Bool {
    switch endCode {
    case .crashed, .timeLimit, .startLimit, .memoryLimit, .lockHeldWhileSuspended, .watchdog, .tasksNotEnded:
      true
    default: how == "exited" && number != 0 && ownCode != WalletEnding.seedWithheld.rawValue
    }
  }

  /// Why it ended; for a crash with the last line of its output.
  package var wholeReason: String? {
    guard let reason, hasCrashed == true else { return reason }
    guard let output else { return "\(reason); it wrote nothing to its standard error" }
    return "\(reason); its last line: \(lastLine ?? "an empty one"); its whole output is in \(output)"
  }
}

extension WalletFacts {
  package var statusCode: StatusCode? { (status?["code"]).flatMap(StatusCode.init) }

  /// Stopped, and not by iosd, which knows of the stops that it has made.
  package var isFrozen: Bool { state != AppState.suspended.word && pid.map(ProcessTable.isStopped) ?? false }

  /// Of a process that has run for a while without a word.
  package var silence: String? {
    guard let silentMs, silentMs >= 1000 else { return nil }
    return
      "silent since its start \(HumanText.span(.milliseconds(silentMs))) ago; its output is in \(output ?? "?")"
  }
}

extension WalletFacts {
  /// What the process is at, beside its state and its text.
  package var works: [String] {
    let tasks = ownTasks ?? []
    return [
      silence, push.map { "push \($0)" }, waitingPushes.flatMap { $0 > 0 ? "\($0) more waiting" : nil },
      tasks.isEmpty ? nil : "at work on: \(tasks.joined(separator: ", "))",
    ].compactMap { $0 }
  }
}

extension PeerFacts {
  /// The wallet's connection.
  package var connection: String {
    guard walletConnected else { return "not connected" }
    let state = channelEstablished ? "connected, channel established" : "connected"
    return "\(state)\(epoch.map { " (epoch \($0))" } ?? "")"
  }

  /// The payments that wait for the wallet, after `connection`.
  package var waiting: String {
    (held > 0 ? ", holds \(HumanText.count(held, "payment"))" : "")
      + (offered > 0 ? ", \(offered) offered\(offeredFor)" : "")
  }

  /// A wallet answers an offer in milliseconds, or it is frozen or waits for other parts.
  package var offeredFor: String {
    offeredForMs.map { " for \(HumanText.span(.milliseconds($0)))" } ?? ""
  }
}

extension PhoneFacts {
  package func process(_ role: Role) -> WalletFacts { role == .app ? app : `extension` }
}
