import DaemonRuntime
import Glibc
import Ground
import Heartbeat
import LightningIO
import PhonePolicy

/// Starts the daemons of one phone.
enum UpVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "up", summary: "start the phone and its Lightning peer",
    options: [
      OptionDeclaration(
        "--foreground",
        help: "stay until a signal, then stop the phone: for a service manager, which is told when it is up"
      )
    ] + startOptions,
    examples: [
      ("baton up", "a phone in ./.baton"),
      (
        "baton --home /tmp/phone up --takeover wait-stale",
        "detect a dead holder as Phoenix does: by the age of its last heartbeat"
      ),
    ])

  private static let startOptions: [OptionDeclaration] =
    [
      WalletOption.declaration,
      PeerOption.declaration,
    ] + SettingsTable.options(of: .up)
    + [
      OptionDeclaration("--iosd", value: .path("PATH"), help: "your own program in place of iosd"),
      OptionDeclaration("--lspd", value: .path("PATH"), help: "your own program in place of lspd"),
    ].grouped("programs")

  static func starterOptions(_ line: ParsedCommandLine, _ phone: Phone) throws -> PhoneStarter.Options {
    var options = PhoneStarter.Options(lspd: line.text("--lspd"), iosd: line.text("--iosd"))
    options.wallet = try WalletOption.profileOfPhone(line, phone)
    options.iosdArguments = SettingsTable.arguments(line, from: .up, to: .iosd)
    options.lspdArguments = SettingsTable.arguments(line, from: .up, to: .lspd, except: ["--phone"])
    // lspd would refuse it too, in terms of its own options.
    if line.isGiven("--sealed-silent-push"), !options.wallet.pushForm.announces {
      throw CommandFailure(
        .wrongUsage,
        "--sealed-silent-push is of a wallet whose pushes are sealed; add \(WalletOption.announcing)")
    }
    for other in line.all("--phone").map({ Phone(home: $0).home }) {
      // The peer would make it, and a mistyped one too.
      try require(
        FilePath.isDirectory(other), .cannotCreate,
        "there is no directory \(other) for the other phone; make it, or correct --phone")
      options.lspdArguments += ["--phone", other]
    }
    if PeerOption.isLegacy(line) { options.lspdArguments.append("--legacy") }
    return options
  }

  /// Checked before any start: iosd would refuse the timing only after lspd is up.
  private static func checkTiming(_ line: ParsedCommandLine) throws(CommandFailure) {
    do throws(HeartbeatTimingError) {
      _ = try HeartbeatTiming(interval: line.time("--beat-interval"), staleAfter: line.time("--stale-after"))
    } catch { throw CommandFailure(.wrongUsage, error.description) }
    if let error = PingRule.problem(line) { throw CommandFailure(.wrongUsage, error) }
  }

  /// An interrupted start leaves no daemon behind.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    // It handles the signals itself.
    if line.isGiven("--foreground") { return nil }
    return Supervision(leavesProcesses: true)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try checkTiming(invocation.line)
    try HandRunProcess.refuse(of: phone)
    let options = try starterOptions(invocation.line, phone)
    let starter = PhoneStarter(phone: phone, options: options)
    if invocation.line.isGiven("--foreground") {
      let manager = ServiceManager { getenv($0).map { String(cString: $0) } }
      return try ForegroundPhone(phone, manager).run(starter) { tell($0, phone, invocation) }
    }
    tell(try starter.start(), phone, invocation)
    return .done
  }

  private static func tell(_ result: PhoneStarter.Result, _ phone: Phone, _ invocation: Invocation) {
    let pids = Daemon.allCases.compactMap { daemon in result.pids[daemon].map { "\(daemon.rawValue) \($0)" } }
    invocation.output.say(
      sentence(result, pids.joined(separator: ", "), phone),
      json: Document(
        home: phone.home, wallet: HomeWallet.name(of: phone), iosd: result.pids[.iosd],
        lspd: result.pids[.lspd],
        started: result.started.map(\.rawValue), limits: (try? phone.facts())?.limits))
    // Also options with the default value: the running daemon may have another.
    let isIgnored = result.started.count < 2 && startOptions.contains { invocation.line.isGiven($0.names[0]) }
    if isIgnored && !invocation.output.isJSON {
      invocation.output.say("options do not change a running daemon; use `baton down` first")
    }
  }

  private static func sentence(_ result: PhoneStarter.Result, _ pids: String, _ phone: Phone) -> String {
    switch result.started.count {
    case 0:
      "the phone \(phone.home) (\(HomeWallet.name(of: phone) ?? "unknown wallet")) is already up: \(pids)"
    case 1: "started the missing \(result.started[0].rawValue); the phone \(phone.home) is up: \(pids)"
    default: "the phone \(phone.home) is up: \(pids)"
    }
  }

  struct Document: Report {
    var home: String
    /// phoenix or bitkit.
    var wallet: String?
    var iosd: Int32?
    var lspd: Int32?
    /// The daemons that this start began.
    var started: [String]
    var limits: LimitFacts?
  }
}

/// A phone for as long as this process runs: up until a signal, or until one of its daemons ends.
final class ForegroundPhone {
  private let phone: Phone
  private let manager: ServiceManager
  private let loop: EventLoop
  private var daemons: [(daemon: Daemon, process: WatchedProcess)] = []
  private var interruption: Interruption?
  private var isStopping = false
  private var failure: CommandFailure?

  init(_ phone: Phone, _ manager: ServiceManager) throws {
    self.phone = phone
    self.manager = manager
    loop = try EventLoop()
    // Before the start, which a signal ends.
    for signal in Interruption.handled {
      try loop.onSignal(signal.rawValue) { [unowned self] in
        interruption = signal
        stop()
      }
    }
  }

  /// `started` is called when the phone is up, and before the manager is told.
  func run(_ starter: PhoneStarter, started: (PhoneStarter.Result) -> Void) throws -> ExitCode {
    guard let result = try start(starter) else { return .done }
    try require(
      result.started.count == Daemon.allCases.count, .daemonMissing,
      "the phone \(phone.home) is already up, and this command would end with it; stop it with `baton down`")
    for daemon in Daemon.allCases { try watch(daemon, result.pids[daemon]) }
    started(result)
    manager.tell(.ready)
    if let limit = manager.watchdog { keepAlive(every: TimeSpan(nanoseconds: limit.nanoseconds / 2)) }
    try loop.run()
    manager.tell(.stopping)
    _ = PhoneStopper(phone: phone).stop()
    if let failure { throw failure }
    return .done
  }

  /// Nil after a signal: as later, the phone is stopped as the signal asks.
  private func start(_ starter: PhoneStarter) throws -> PhoneStarter.Result? {
    starter.isInterrupted = { [unowned self] in
      // The loop does not run yet.
      try? loop.turn(waitingMilliseconds: 0)
      return interruption != nil
    }
    do { return try starter.start() } catch let failure as CommandFailure where failure.code == .interrupted {
      // Another failure is told as what it is, also after a signal.
      guard let interruption else { throw failure }
      let sentence =
        "interrupted by \(interruption.name) before the phone was up; all that was started is ended"
      writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
      return nil
    }
  }

  private func watch(_ daemon: Daemon, _ pid: Int32?) throws {
    guard let pid, let process = WatchedProcess(pid: pid) else { return failed(daemon, pid, nil) }
    daemons.append((daemon, process))
    try loop.watchProcess(process.descriptor) { [unowned self] in
      guard !isStopping else { return }
      let end = ProcessEnding(process.reap())
      // Of `baton down`: then the phone is meant to be down.
      if end.isGood { stop() } else { failed(daemon, pid, end) }
    }
  }

  private func failed(_ daemon: Daemon, _ pid: Int32?, _ end: ProcessEnding?) {
    let how = end.map { "\($0)" } ?? "ended right after its start"
    let process = pid.map { " (process \($0))" } ?? ""
    failure = CommandFailure(
      .daemonMissing, "\(daemon.rawValue)\(process) \(how); its last output is in \(phone.log(of: daemon))")
    stop()
  }

  private func stop() {
    isStopping = true
    loop.stop()
  }

  /// Both daemons answer: a phone that hangs is not alive.
  private func keepAlive(every interval: TimeSpan) {
    if Daemon.allCases.allSatisfy({ phone.answers($0) }) { manager.tell(.alive) }
    loop.after(interval) { [unowned self] in keepAlive(every: interval) }
  }
}

/// What a service tells the manager that started it, such as systemd: one datagram for each line, to the socket that the
/// environment names. Without such a socket nothing is told.
struct ServiceManager {
  enum Line: String {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
    case alive = "WATCHDOG=1"
  }

  private let path: String?
  /// The manager ends a service that has not said for so long that it is alive; nil: it does not watch.
  let watchdog: TimeSpan?

  init(_ environment: (String) -> String?) {
    path = environment("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isForUs = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = environment("WATCHDOG_USEC").flatMap(Int64.init)
    watchdog = microseconds.flatMap {
      isForUs && $0 > 0 && $0 <= .max / 1000 ? TimeSpan(nanoseconds: $0 * 1000) : nil
    }
  }

  /// A manager that does not listen must not end the service: what it is not told is its own loss.
  func tell(_ line: Line) {
    guard let path else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A leading @ stands for the zero of an abstract name, which has no terminating zero.
    let name = Array(path.utf8).enumerated().map { $0.offset == 0 && $0.element == 0x40 ? 0 : $0.element }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let isAbstract = name.first == 0
    let length = (MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + name.count + (isAbstract ? 0 : 1)
    let text = Array(line.rawValue.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
      }
    }
  }
}
