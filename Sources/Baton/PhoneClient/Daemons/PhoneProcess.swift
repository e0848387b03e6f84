import CLinux
import DaemonRuntime
import Glibc
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
    } catch ControlClientError.notRunning { return nil } catch {
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
    // Started by hand, as by `scripts/launch-pair`.
    return WatchedProcess(
      listeningOn: "\(ContainerLayout(directory: phone.container).presence)/\(role.rawValue).sock")
  }
}

/// Checks that the process on a daemon's socket is that daemon, before it is ended: another program of this user may
/// listen there.
struct DaemonIdentity {
  private static let timeout = TimeSpan.seconds(5)

  let daemon: Daemon
  let phone: Phone

  /// The running daemon; throws for another program on its socket, and for another phone's lspd.
  func process() throws(CommandFailure) -> WatchedProcess? {
    guard let process = WatchedProcess(listeningOn: phone.socket(of: daemon)) else { return nil }
    if let home = servedBy {
      throw CommandFailure(
        .notDone, "process \(process.pid) is the lspd of the phone in \(home); name that phone with --home")
    }
    if let why = objection(to: process), !process.hasEnded { throw CommandFailure(.notDone, why) }
    return process
  }

  /// Why the process is left alone; nil if it is the daemon.
  func objection(to process: WatchedProcess) -> String? {
    // By its answer, or by its program if it hangs or is stopped.
    switch answer {
    case true?: return nil
    case nil where Self.program(of: process) == daemon.rawValue: return nil
    default: break
    }
    return
      "process \(process.pid) listens on \(phone.socket(of: daemon)) but is not \(daemon.rawValue); end it yourself, or move the socket away"
  }

  /// The home of the phone whose lspd serves this phone too.
  var servedBy: String? {
    guard daemon == .lspd else { return nil }
    return (try? phone.askForJSON(daemon, ControlMessage("status"), timeout: Self.timeout))?["served_by"]?
      .text
  }

  /// Whether the answer is the daemon's; nil without an answer.
  private var answer: Bool? {
    do {
      let facts = try phone.askForJSON(daemon, ControlMessage("status"), timeout: Self.timeout)
      // By members that only this daemon's status has.
      return switch daemon {
      case .iosd: facts["home"]?.text != nil && facts["extension"] != nil
      case .lspd: facts["channel"]?.text != nil && facts["wallet_connected"]?.flag != nil
      }
    } catch ControlClientError.malformed, ControlClientError.refused {
      return false
    } catch let failure as CommandFailure where failure.code == .bugOfOurs {
      // The answer was not the expected JSON.
      return false
    } catch { return nil }
  }

  /// The name of its program, from the kernel; `process` holds a pidfd, so the pid is not reused.
  private static func program(of process: WatchedProcess) -> String? {
    guard let path = ProcessTable.program(of: process.pid), !process.hasEnded else { return nil }
    let name = path.split(separator: "/").last ?? ""
    // The kernel's suffix if the program was rebuilt since.
    return String(name.hasSuffix(" (deleted)") ? name.dropLast(10) : name)
  }
}

/// A process held by a pidfd, which cannot come to refer to another process.
package final class WatchedProcess {
  package let pid: Int32
  package let descriptor: Int32

  /// Nil if there is no such process.
  package init?(pid: Int32) {
    self.pid = pid
    descriptor = baton_pidfd_open(pid)
    if descriptor < 0 { return nil }
  }

  /// Exactly this process, not a later one of its pid. Nil if it is gone.
  package init?(_ identity: ProcessIdentity, boot: BootID) throws(SystemError) {
    guard let pidfd = try ProcessTable.openPidfd(identity, boot: boot) else { return nil }
    pid = identity.pid
    descriptor = pidfd
  }

  /// The pid may have been reused before the pidfd was opened: the listener is looked up again.
  package convenience init?(listeningOn socket: String) {
    guard let pid = DaemonProbe.pid(listeningOn: socket) else { return nil }
    self.init(pid: pid)
    guard DaemonProbe.pid(listeningOn: socket) == pid else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package var hasEnded: Bool { waits(milliseconds: 0) }

  /// Whether it ended in time.
  package func waitForEnd(within span: TimeSpan) -> Bool {
    let deadline = Clock.monotonicNow + span
    while true {
      let left = (deadline - Clock.monotonicNow).wholeMilliseconds
      if waits(milliseconds: Int32(clamping: max(0, left))) { return true }
      if left <= 0 { return false }
    }
  }

  private func waits(milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }

  @discardableResult
  package func send(_ signal: Int32) -> Bool { baton_pidfd_send_signal(descriptor, signal) == 0 }

  /// Its next allocation of a page fails.
  package func denyMemory() -> Bool { baton_deny_memory(pid) == 0 }

  /// Reaps a child of this process; nil for others.
  package func reap() -> Int32? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? status : nil
  }
}

/// A status of `waitpid` as a sentence.
package struct ProcessEnding: CustomStringConvertible {
  private let how: ProcessEnd?

  package init(_ status: Int32?) { how = status.map(ProcessEnd.init) }

  package var isGood: Bool { how == .exited(code: 0) }

  var isBySignal: Bool { if case .signalled = how { true } else { false } }

  /// Nil after a signal, or for an unknown code.
  package var exitCode: ExitCode? {
    if case .exited(let code) = how { ExitCode(rawValue: code) } else { nil }
  }

  package var description: String {
    switch how {
    case .exited(let code): "ended with exit code \(code)"
    case .signalled(let number): "was ended by \(SignalName.word(for: number))"
    case nil: "has ended"
    }
  }
}

/// What one does by hand to a process of a phone.
package enum ProcessSignal: Hashable, Sendable {
  case kill
  /// The signal that ends a process by a mistake of its own.
  case crash(Int32)
  case freeze
  case thaw

  /// The kernel needs microseconds, a busy machine more.
  private static let patience = TimeSpan.seconds(10)

  /// Sends it, and waits until the process has ended, stopped, or goes on.
  package func send(to process: WatchedProcess) throws {
    let number = number
    guard process.send(number) || process.hasEnded else { throw SystemError("signal process \(process.pid)") }
    // A stopped process handles a signal other than SIGKILL only when it goes on.
    if case .crash = self { process.send(SIGCONT) }
    try Wait.until("process \(process.pid) to follow signal \(number)", within: Self.patience) {
      process.hasEnded || hasTakenEffect(process)
    }
    switch self {
    case .kill, .crash: break
    case .freeze, .thaw:
      if process.hasEnded { throw CommandFailure(.notDone, "process \(process.pid) has ended meanwhile") }
    }
  }

  private func hasTakenEffect(_ process: WatchedProcess) -> Bool {
    switch self {
    case .kill, .crash: process.hasEnded
    case .freeze: ProcessTable.isStopped(process.pid)
    case .thaw: !ProcessTable.isStopped(process.pid)
    }
  }

  private var number: Int32 {
    switch self {
    case .kill: SIGKILL
    case .crash(let number): number
    case .freeze: SIGSTOP
    case .thaw: SIGCONT
    }
  }
}
