import DaemonRuntime
import Glibc
import Ground
import Guardrails
import LightningIO
import PhonePolicy
import SharedContainer

/// Starts the two daemons of a phone, lspd first, as iosd needs its address. If a start fails, the daemons already
/// started are ended.
package final class PhoneStarter {
  package struct Options: Sendable {
    /// The programs; nil for those beside this program.
    package var lspd: String?
    package var iosd: String?
    /// The wallet on the phone, which a later start keeps.
    package var wallet = WalletProfile.phoenix
    /// Passed to the daemons unchanged.
    package var lspdArguments: [String] = []
    package var iosdArguments: [String] = []

    package init(
      lspd: String? = nil, iosd: String? = nil, lspdArguments: [String] = [], iosdArguments: [String] = []
    ) {
      self.lspd = lspd
      self.iosd = iosd
      self.lspdArguments = lspdArguments
      self.iosdArguments = iosdArguments
    }
  }

  package struct Result: Sendable {
    package var pids: [Daemon: Int32] = [:]
    /// The daemons that were started.
    package var started: [Daemon] = []
  }

  /// A daemon answers within milliseconds; a very busy machine takes longer.
  private static let timeout = TimeSpan.seconds(20)
  /// How often missing daemons are started: one that still answers may be about to end.
  private static let looks = 5

  package let phone: Phone
  package let options: Options
  /// Asked while another start goes on, and while a daemon does not answer yet; true ends the start with the code
  /// `interrupted`.
  package var isInterrupted: () -> Bool = { false }
  private var started: [StartedDaemon] = []

  package init(phone: Phone, options: Options) {
    self.phone = phone
    self.options = options
  }

  package func start() throws -> Result {
    // Before any file is created: a start that fails here leaves nothing.
    try checkPrograms(
      of: Daemon.allCases.filter { DaemonProbe.pid(listeningOn: phone.socket(of: $0)) == nil })
    try makeHome()
    // Twice a daemon's time, for two daemons.
    let lock = try StartLock(phone, timeout: Self.timeout + Self.timeout, isInterrupted: isInterrupted)
    defer { withExtendedLifetime(lock) {} }
    do {
      return try complete()
    } catch {
      // After ^C a daemon that does not answer is killed after 1 s: a phone that was not up has no processes to end.
      let limit = isInterrupted() ? TimeSpan.seconds(1) : Daemon.endTimeout
      for daemon in started.reversed() { daemon.end(within: limit) }
      throw error
    }
  }

  private func makeHome() throws(CommandFailure) {
    // The parent may be another user's; the home and all in it may not.
    try FilePath.makeDirectories(FilePath.parent(of: phone.home))
    do throws(SystemError) {
      try OwnHome.check(phone.home)
      try OwnHome.make(phone.home, ["lsp", "os", "journal"])
    } catch { throw CommandFailure(.cannotCreate, error.description) }
  }

  /// Starts missing daemons until a check finds both running.
  private func complete() throws -> Result {
    for _ in 0..<Self.looks {
      let running = try Daemon.allCases.map { (daemon: $0, pid: try phone.runningPid(of: $0)) }
      let missing = running.filter { $0.pid == nil }.map(\.daemon)
      if missing.isEmpty { return result(running) }
      try checkPrograms(of: missing)
      for daemon in missing {
        try start(daemon)
        if daemon == .iosd { try HomeWallet.write(options.wallet, of: phone) }
      }
    }
    throw CommandFailure(
      .daemonMissing,
      "the daemons of \(phone.home) end right after their start; see \(phone.log(of: .lspd)) and \(phone.log(of: .iosd))"
    )
  }

  private func result(_ running: [(daemon: Daemon, pid: Int32?)]) -> Result {
    Result(
      pids: Dictionary(uniqueKeysWithValues: running.compactMap { one in one.pid.map { (one.daemon, $0) } }),
      started: Daemon.allCases.filter { daemon in started.contains { $0.daemon == daemon } })
  }

  // MARK: Starting one

  private func start(_ daemon: Daemon) throws {
    let watch = try DirectoryWatch([daemon == .lspd ? phone.lsp : phone.os])
    let started = try StartedDaemon(
      daemon, program: program(of: daemon), arguments: try arguments(for: daemon), log: phone.log(of: daemon))
    self.started.append(started)
    let deadline = Clock.monotonicNow + Self.timeout
    while !isReady(daemon) {
      // First: a manager that signals every process of its unit ends the daemon too.
      if isInterrupted() {
        throw CommandFailure(.interrupted, "interrupted before \(daemon.rawValue) answered")
      }
      if started.process.hasEnded { throw started.failureOfEnd() }
      guard Clock.monotonicNow < deadline else { throw started.failure("did not answer in time") }
      // The socket appears an instant before the daemon accepts: also check at short intervals.
      let soon = min(deadline, Clock.monotonicNow + .milliseconds(20))
      try watch.wait(until: soon, alsoFor: [started.process.descriptor])
    }
  }

  private func isReady(_ daemon: Daemon) -> Bool {
    if daemon == .lspd && address == nil { return false }
    return FilePath.exists(phone.socket(of: daemon)) && phone.answers(daemon, unless: isInterrupted)
  }

  /// lspd's address for wallets.
  private var address: PeerAddress? { PeerAddress(file: phone.lspdAddress) }

  private func arguments(for daemon: Daemon) throws(CommandFailure) -> [String] {
    switch daemon {
    case .lspd: return ["--home", phone.home] + walletArguments + pushFormArguments + options.lspdArguments
    case .iosd:
      try require(
        address != nil, .daemonMissing,
        "lspd has not written its address (\(phone.lspdAddress)); stop it with `baton down` and start again")
      // By file: other users can read command lines, and must not learn the address.
      return ["--home", phone.home, "--peer-file", phone.lspdAddress] + profileArguments
        + options.iosdArguments
    }
  }

  // Other programs in place of ours need not know the options of the default wallet.
  private var profileArguments: [String] {
    options.wallet == .phoenix ? [] : ["--wallet", options.wallet.name]
  }

  private var pushFormArguments: [String] {
    options.wallet == .phoenix ? [] : ["--push-form", options.wallet.pushForm.rawValue]
  }

  /// With this file lspd accepts only the wallet's node id, not the first node that connects. Other programs need not
  /// write or read it.
  private var walletArguments: [String] {
    let areOurs = options.lspd == nil && !options.iosdArguments.contains { ["--app", "--ext"].contains($0) }
    return areOurs ? ["--wallet-file", phone.walletNode] : []
  }

  // MARK: Programs

  private func program(of daemon: Daemon) -> String {
    (daemon == .lspd ? options.lspd : options.iosd) ?? "\(FilePath.ownDirectory)/\(daemon.rawValue)"
  }

  /// Checked before any start: iosd would refuse a wallet program only after lspd is up.
  private func checkPrograms(of missing: [Daemon]) throws(CommandFailure) {
    var programs = missing.map { (program(of: $0), "--\($0.rawValue)") }
    if missing.contains(.iosd) {
      let words = options.iosdArguments
      for (name, path) in zip(words, words.dropFirst()) where ["--app", "--ext"].contains(name) {
        programs.append((path, name))
      }
    }
    for (path, option) in programs where !FilePath.isExecutable(path) {
      throw CommandFailure(
        .badConfiguration, "\(path) cannot be run; build it, or name another program with \(option)")
    }
  }
}

/// Held while the daemons of a phone are started or ended: two concurrent starts would take each other's daemons for
/// failed ones. The kernel releases it when its process dies.
final class StartLock {
  private let descriptor: Int32

  init(_ phone: Phone, timeout: TimeSpan, isInterrupted: () -> Bool = { false }) throws {
    descriptor = try PlainFile.open("\(phone.os)/up.lock", O_RDWR | O_CREAT)
    let deadline = Clock.monotonicNow + timeout
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if isInterrupted() {
        throw CommandFailure(.interrupted, "interrupted while another `baton up` or `baton down` ran")
      }
      try require(
        Clock.monotonicNow < deadline, .daemonMissing,
        "another `baton up` or `baton down` of \(phone.home) is still running; wait for it, or end it")
      poll(nil, 0, 20)
    }
  }

  deinit { close(descriptor) }
}

extension Phone {
  /// Nil if it does not run; waits for a daemon that is ending. Throws if it runs but does not answer: a second one
  /// could not listen on its socket.
  fileprivate func runningPid(of daemon: Daemon) throws -> Int32? {
    let listener = DaemonProbe.look(at: socket(of: daemon))
    if case .unusable(let sentence) = listener { throw CommandFailure(.daemonMissing, sentence) }
    guard case .ours(let pid) = listener, let process = WatchedProcess(pid: pid) else { return nil }
    if isUp(daemon) { return pid }
    if let stopped = StoppedDaemon(daemon, pid: pid) {
      throw CommandFailure(.daemonMissing, stopped.description)
    }
    if process.waitForEnd(within: Daemon.endTimeout) { return nil }
    if isUp(daemon) { return pid }
    throw CommandFailure(
      .daemonMissing,
      "\(daemon.rawValue) \(pid) runs but does not answer; stop it with `baton down`, then start again"
    )
  }

  /// It answers, and is not going down.
  private func isUp(_ daemon: Daemon) -> Bool {
    let facts = try? askForJSON(daemon, ControlMessage("status"), timeout: .seconds(5))
    return facts.map { $0["going_down"]?.flag != true } ?? false
  }
}

/// A daemon that this process has started.
final class StartedDaemon {
  let daemon: Daemon
  let process: WatchedProcess
  private let log: String
  /// The log's size before the start: earlier lines are of other processes.
  private let beginning: Int

  init(_ daemon: Daemon, program: String, arguments: [String], log: String) throws(CommandFailure) {
    self.daemon = daemon
    self.log = log
    beginning = FilePath.size(of: log)
    process = try DaemonStarter.start(program, arguments: arguments, log: log)
  }

  /// Ends the daemon after a failed start.
  func end(within limit: TimeSpan) {
    process.send(SIGTERM)
    if !process.waitForEnd(within: limit) {
      process.send(SIGKILL)
      _ = process.waitForEnd(within: Daemon.endTimeout)
    }
    _ = process.reap()
  }

  /// The failure of a daemon that has ended: names the signal, if any.
  func failureOfEnd() -> CommandFailure {
    let end = ProcessEnding(process.reap())
    return failure("\(end.isBySignal ? "\(end)" : "ended") before it answered", code: end.exitCode)
  }

  /// Adds the last lines of the daemon's log. Its codes for wrong usage and configuration are passed on.
  func failure(_ what: String, code: ExitCode? = nil) -> CommandFailure {
    let lines = FilePath.lastLines(of: log, count: 8, from: beginning).map { "  \($0)" }
    let end = lines.isEmpty ? "; it printed nothing" : "; its last output is in \(log):"
    return CommandFailure(
      code.flatMap { [.badConfiguration, .wrongUsage].contains($0) ? $0 : nil } ?? .daemonMissing,
      "\(daemon.rawValue) \(what)\(end)", details: lines)
  }
}

/// Starts a daemon that outlives this process: in its own session, with its output in `log`.
package enum DaemonStarter {
  package static func start(_ path: String, arguments: [String], log: String) throws(CommandFailure)
    -> WatchedProcess
  {
    // Opened like every file of a phone: no link, no file of another user.
    let output: Int32
    do throws(SystemError) { output = try PlainFile.open(log, O_WRONLY | O_CREAT | O_APPEND) } catch {
      throw CommandFailure(.cannotCreate, error.description)
    }
    defer { close(output) }
    CrashTraces.withholdReports()
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    var options = ChildProcess.Options()
    (options.input, options.output, options.error) = (input, output, output)
    (options.stackBytes, options.coreBytes) = (-1, -1)
    options.diesWithParent = false
    // A ^C in our terminal does not reach it.
    options.leadsSession = true
    options.environment = []
    let pid = ChildProcess.spawn(path, arguments: arguments, options)
    guard pid >= 0, let process = WatchedProcess(pid: pid) else {
      let trouble = errno
      let isOurs = [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(trouble)
      throw CommandFailure(
        isOurs ? .cannotCreate : .badConfiguration,
        ChildProcess.failure(toStart: path, code: trouble).description)
    }
    return process
  }
}

/// The wallet that a phone's home was last started with, in a file of iosd's: a later `baton up` keeps it. The wallet's
/// processes, its pushes and its texts belong together, so another one comes only by its name.
package enum HomeWallet {
  private static func path(_ phone: Phone) -> String { phone.os + "/wallet" }

  /// Nil for a home without one, such as a new one.
  package static func read(of phone: Phone) throws(CommandFailure) -> WalletProfile? {
    let path = path(phone)
    let bytes: [UInt8]?
    do throws(SystemError) {
      // As at the start: nothing is believed of a home that others can change.
      try OwnHome.check(phone.home)
      bytes = try SmallFile.readOwn(path, limit: 64)
    } catch { throw CommandFailure(.cannotCreate, error.description) }
    guard let bytes else { return nil }
    guard let wallet = WalletProfile(named: String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" })
    else {
      throw CommandFailure(
        .badConfiguration, "\(path) names no wallet that this program knows; name the wallet with --wallet")
    }
    return wallet
  }

  /// For people; nil where it cannot be read, and in a home without one.
  package static func name(of phone: Phone) -> String? { (try? read(of: phone))?.name }

  static func write(_ wallet: WalletProfile, of phone: Phone) throws(CommandFailure) {
    do throws(SystemError) {
      try PlainFile.replace(path(phone), with: Array("\(wallet.name)\n".utf8))
    } catch { throw CommandFailure(.cannotCreate, error.description) }
  }
}

/// A wallet process that was not started by iosd but by hand, such as by `scripts/launch-pair`: a second one of its
/// role would only wait for it.
package struct HandRunProcess: Report, Hashable {
  /// Its program.
  package let process: String
  package let pid: Int32

  /// Processes whose iosd was just killed need some time to exit.
  private static let timeout = TimeSpan.seconds(5)

  package var sentence: String {
    "iosd does not run, and \(process == "mainappd" ? "the app" : "the extension") was started by hand (process \(pid)); end it before `baton up`"
  }

  /// Empty while iosd runs: then the processes are iosd's.
  package static func all(of phone: Phone) -> [HandRunProcess] {
    guard case .noProcess = DaemonProbe.look(at: phone.iosdSocket) else { return [] }
    let presence = ContainerLayout(directory: phone.container).presence
    return [("app", "mainappd"), ("extension", "notifyextd")].compactMap { role, name in
      DaemonProbe.pid(listeningOn: "\(presence)/\(role).sock").map { HandRunProcess(process: name, pid: $0) }
    }
  }

  /// Throws for a process that does not exit in time.
  package static func refuse(of phone: Phone) throws(CommandFailure) {
    for process in all(of: phone) where WatchedProcess(pid: process.pid)?.waitForEnd(within: timeout) == false
    {
      throw CommandFailure(.daemonMissing, process.sentence)
    }
  }
}

/// Ends the daemons of a phone: iosd first, as the wallet processes still send messages to lspd.
package struct PhoneStopper {
  package struct Ended: Report {
    var daemon: String
    var pid: Int32?
    /// Another program, or another phone's lspd, listens on its socket.
    var leftAlone = false
    /// How it ended, or why it was left alone.
    var how: String
    var killed = false
    /// The process is another phone's, which serves this one too.
    var isOfAnotherPhone = false

    enum CodingKeys: CodingKey { case daemon, pid, leftAlone, how, killed }

    var sentence: String { "\(daemon) \(pid.map { "\($0) " } ?? "was left alone: ")\(how)" }
  }

  package let phone: Phone

  /// Ends the daemons that run. Under the start lock, so that no `baton up` takes an ending daemon for a running one;
  /// also without the lock if it cannot be taken.
  package func stop() -> [Ended] {
    let lock = try? StartLock(phone, timeout: Daemon.endTimeout + Daemon.endTimeout)
    defer { withExtendedLifetime(lock) {} }
    return [Daemon.iosd, .lspd].compactMap(stop)
  }

  private func stop(_ daemon: Daemon) -> Ended? {
    func left(_ how: String, isOfAnotherPhone: Bool = false) -> Ended {
      Ended(daemon: daemon.rawValue, leftAlone: true, how: how, isOfAnotherPhone: isOfAnotherPhone)
    }
    let listener = DaemonProbe.look(at: phone.socket(of: daemon))
    if case .unusable(let sentence) = listener { return left(sentence) }
    guard let process = WatchedProcess(listeningOn: phone.socket(of: daemon)) else { return nil }
    let pid = process.pid
    let identity = DaemonIdentity(daemon: daemon, phone: phone)
    if let home = identity.servedBy {
      let how =
        "process \(pid) is the lspd of the phone in \(home); `baton --home \(home) down` stops it"
      return left(how, isOfAnotherPhone: true)
    }
    if let objection = identity.objection(to: process) {
      return process.hasEnded ? nil : left(objection)
    }
    // Asked over its socket it records why it ends; if it no longer listens, by signal.
    let client = try? phone.connect(to: daemon)
    if (try? client?.send(ControlMessage("down"))) == nil { process.send(SIGTERM) }
    if process.waitForEnd(within: Daemon.endTimeout) { return ended(daemon, process) }
    process.send(SIGKILL)
    _ = process.waitForEnd(within: Daemon.endTimeout)
    _ = process.reap()
    return Ended(
      daemon: daemon.rawValue, pid: pid, how: "did not end within 15 s and was killed", killed: true)
  }

  private func ended(_ daemon: Daemon, _ process: WatchedProcess) -> Ended {
    _ = process.reap()
    let how =
      endReason(daemon, pid: process.pid).map { "ended: \($0)" }
      ?? "ended without an end record in its journal"
    return Ended(daemon: daemon.rawValue, pid: process.pid, how: how)
  }

  private func endReason(_ daemon: Daemon, pid: Int32) -> String? {
    let suffix = "-\(daemon.rawValue)-\(pid)"
    guard let file = FilePath.journals(in: phone.journal).last(where: { $0.contains(suffix) }),
      let last = FilePath.lastLines(of: "\(phone.journal)/\(file)", count: 1).last,
      let line = JSONValue(parsing: Array(last.utf8)), line["kind"]?.text == "end"
    else { return nil }
    return line["reason"]?.text
  }
}

/// Finds the process that listens on a control socket, from the socket itself: a pid file may be stale.
package enum DaemonProbe {
  package enum Listener {
    case noProcess
    case ours(pid: Int32)
    /// Another user's process, or an unusable socket: why, and what to do.
    case unusable(String)
  }

  package static func look(at path: String) -> Listener {
    do throws(SystemError) {
      guard let peer = try PeerCredentials.listener(at: path), peer.pid > 0 else { return .noProcess }
      if peer.isOurs { return .ours(pid: peer.pid) }
      return .unusable(
        "process \(peer.pid) of the user \(peer.user) listens on \(path); use a phone of your own")
    } catch {
      switch error.code {
      case ENOENT, ENOTDIR, EAGAIN: return .noProcess
      default: return .unusable(error.description)
      }
    }
  }

  /// Nil if no process of this user listens there.
  package static func pid(listeningOn path: String) -> Int32? {
    if case .ours(let pid) = look(at: path) { pid } else { nil }
  }
}

/// A stopped daemon: the kernel accepts connections for it, but no answer would come.
package struct StoppedDaemon: CustomStringConvertible {
  package let description: String

  /// Nil if it is not stopped. Checked twice, as a tracer stops its process for moments.
  package init?(_ daemon: Daemon, pid: Int32) {
    guard ProcessTable.isStopped(pid) else { return nil }
    poll(nil, 0, 50)
    guard ProcessTable.isStopped(pid) else { return nil }
    description =
      "\(daemon.rawValue) \(pid) is stopped (SIGSTOP or a debugger); `baton thaw \(daemon.rawValue)` continues it"
  }
}
