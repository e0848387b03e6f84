import DaemonRuntime
import Ground
import PhonePolicy
import SharedContainer

/// One of the four processes of a phone.
package enum PhoneProcess: String, CaseIterable, Sendable {
  case app, `extension`, lspd, iosd

  /// As in a sentence.
  package var words: String {
    switch self {
    case .app, .extension: "the \(rawValue)"
    case .lspd, .iosd: rawValue
    }
  }

  private var absence: CommandFailure {
    switch self {
    case .app: CommandFailure(.notDone, "the app does not run; open it with `baton app open`")
    case .extension: CommandFailure(.notDone, "the extension does not run; a push starts it")
    case .lspd, .iosd:
      CommandFailure(.daemonMissing, "\(rawValue) of this phone does not run; start it with `baton up`")
    }
  }

  /// The running process; by pid and start time, or by its socket.
  package func find(in phone: Phone) throws -> WatchedProcess {
    let found: WatchedProcess? =
      switch self {
      case .app: try Self.wallet(.app, phone)
      case .extension: try Self.wallet(.extension, phone)
      case .lspd: try DaemonIdentity(daemon: .lspd, phone: phone).process()
      case .iosd: try DaemonIdentity(daemon: .iosd, phone: phone).process()
      }
    guard let found, !found.hasEnded else { throw absence }
    return found
  }

  /// Why the process may not be frozen or thawed by hand: iosd has suspended it, and continues it when it is opened; or
  /// may have.
  package func suspension(of process: WatchedProcess, in phone: Phone) -> CommandFailure? {
    guard self == .app || self == .extension else { return nil }
    let words = "\(self.words) (process \(process.pid))"
    do {
      let facts = try phone.facts(timeout: .seconds(5))
      guard (self == .app ? facts.app.state : facts.extension.state) == AppState.suspended.word else {
        return nil
      }
      return CommandFailure(
        .notDone, "\(words) is suspended by iosd, which continues it when it is needed; `baton app open` does"
      )
    } catch ControlClientError.notRunning {
      return nil
    } catch {
      guard ProcessTable.isStopped(process.pid) else { return nil }
      return CommandFailure(
        .notDone,
        "iosd does not answer, and may have suspended \(words); thaw iosd if it is frozen, and try again")
    }
  }

  /// A frozen iosd gives no answer, but its ledger has the processes.
  private static func wallet(_ role: Role, _ phone: Phone) throws -> WatchedProcess? {
    let rows =
      (try? phone.ask(.iosd, ControlMessage("ps"), for: [ProcessRow].self, timeout: .seconds(5)))
      ?? ProcessRow.written(in: phone.processLedger)
    let boot = phone.clock.boot
    let bootWord = Journal.text(of: boot)
    for row in rows.lastOfEach.reversed()
    where row.role == role.rawValue && !row.hasEnded && row.boot ?? bootWord == bootWord {
      let identity = ProcessIdentity(pid: row.pid, startTime: row.startTime, boot: boot)
      if let process = try WatchedProcess(identity, boot: boot) { return process }
    }
    // Started by hand, as by `baton pair`.
    return WatchedProcess(
      listeningOn: "\(ContainerLayout(directory: phone.container).presence)/\(role.rawValue).sock")
  }
}
