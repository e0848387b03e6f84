import DaemonRuntime
import Glibc
import Ground

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
