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
    guard result.started.count == Daemon.allCases.count else {
      throw CommandFailure(
        .daemonMissing,
        "the phone \(phone.home) is already up, and this command would end with it; stop it with `baton down`"
      )
    }
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
    if Daemon.allCases.allSatisfy(phone.answers) { manager.tell(.alive) }
    loop.after(interval) { [unowned self] in keepAlive(every: interval) }
  }
}
