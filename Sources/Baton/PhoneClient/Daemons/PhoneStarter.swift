import PeerTransport
import Ground
import DaemonRuntime
import Glibc

/// Brings the two daemons of a phone up, the provider first: the phone must know where it listens. What it has started
/// goes down again when it cannot do all of it.
package final class PhoneStarter {
  package struct Options: Sendable {
    /// Beside our own program when they are not named.
    package var lspd: String?
    package var iosd: String?
    /// Given to them as they are.
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
    /// Those that did not run before.
    package var started: [Daemon] = []
  }

  /// A daemon answers within milliseconds; a machine that is very busy gets its time.
  private static let patience = TimeSpan.seconds(20)
  /// Whoever runs may be on its way out while it still answers, and so may those that took its place.
  private static let looks = 5

  package let phone: Phone
  package let options: Options
  private var started: [StartedDaemon] = []

  package init(phone: Phone, options: Options) {
    self.phone = phone
    self.options = options
  }

  package func start() throws -> Result {
    // Before anything is made: a start that cannot be is to leave nothing.
    try checkPrograms(
      of: Daemon.allCases.filter { DaemonProbe.pid(listeningOn: phone.socket(of: $0)) == nil })
    try makeHome()
    // Twice as long as a daemon may take: there are two of them.
    let lock = try StartLock(phone, patience: Self.patience + Self.patience)
    defer { withExtendedLifetime(lock) {} }
    do {
      return try complete()
    } catch {
      for daemon in started.reversed() { daemon.end() }
      throw error
    }
  }

  private func makeHome() throws(CommandFailure) {
    // What lies around it may be anybody's; the home itself and all in it may not.
    try FilePath.makeDirectories(FilePath.parent(of: phone.home))
    do throws(SystemError) {
      try OwnHome.check(phone.home, OwnHome.system + [OwnHome.container])
      try OwnHome.make(phone.home, ["lsp", "os", "journal"])
    } catch { throw CommandFailure(.cannotCreate, error.description) }
  }

  /// Looks again after each start, until both run that ran before.
  private func complete() throws -> Result {
    for _ in 0..<Self.looks {
      let running = try Daemon.allCases.map { (daemon: $0, pid: try RunningDaemon($0, of: phone).pid()) }
      let missing = running.filter { $0.pid == nil }.map(\.daemon)
      if missing.isEmpty { return result(running) }
      try checkPrograms(of: missing)
      for daemon in missing { try start(daemon) }
    }
    throw CommandFailure(
      .daemonMissing,
      "what runs of \(phone.home) ends again at once; see who stops it in \(phone.log(of: .lspd)) and \(phone.log(of: .iosd))"
    )
  }

  private func result(_ running: [(daemon: Daemon, pid: Int32?)]) -> Result {
    var result = Result()
    for (daemon, pid) in running { result.pids[daemon] = pid }
    result.started = Daemon.allCases.filter { daemon in started.contains { $0.daemon == daemon } }
    return result
  }

  // MARK: Starting one

  private func start(_ daemon: Daemon) throws {
    let watch = try DirectoryWatch([daemon == .lspd ? phone.lsp : phone.os])
    let started = try StartedDaemon(
      daemon, program: program(of: daemon), arguments: try arguments(for: daemon), log: phone.log(of: daemon))
    self.started.append(started)
    let deadline = Clock.monotonicNow + Self.patience
    while !isReady(daemon) {
      if started.process.hasEnded { throw started.failureOfEnd() }
      guard Clock.monotonicNow < deadline else { throw started.failure("did not answer in time") }
      // The socket's name appears an instant before somebody accepts behind it, so we also look at short intervals.
      let soon = min(deadline, Clock.monotonicNow + .milliseconds(20))
      try watch.wait(until: soon, alsoFor: [started.process.descriptor])
    }
  }

  private func isReady(_ daemon: Daemon) -> Bool {
    if daemon == .lspd && address == nil { return false }
    return FilePath.exists(phone.socket(of: daemon)) && phone.answers(daemon)
  }

  /// Where wallets reach the provider.
  private var address: String? {
    guard let bytes = try? SmallFile.readOwn(phone.lspdAddress, limit: 128) else { return nil }
    let text = String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    return PeerAddress(text) == nil ? nil : text
  }

  private func arguments(for daemon: Daemon) throws(CommandFailure) -> [String] {
    switch daemon {
    case .lspd: return ["--home", phone.home] + walletArguments + options.lspdArguments
    case .iosd:
      guard address != nil else {
        throw CommandFailure(
          .daemonMissing,
          "lspd has not said where it listens (\(phone.lspdAddress)); stop it with `baton down` and start again"
        )
      }
      // By its file: command lines are for everybody to read, and who knows the address can knock.
      return ["--home", phone.home, "--peer-file", phone.lspdAddress] + options.iosdArguments
    }
  }

  /// No node that comes first is the wallet. Programs of others need not write down who the wallet is, nor read it.
  private var walletArguments: [String] {
    let areOurs =
      options.lspd == nil && !options.iosdArguments.contains { ["--app", "--ext"].contains($0) }
    return areOurs ? ["--wallet-file", phone.walletNode] : []
  }

  // MARK: Programs

  private func program(of daemon: Daemon) -> String {
    (daemon == .lspd ? options.lspd : options.iosd) ?? "\(FilePath.ownDirectory)/\(daemon.rawValue)"
  }

  /// Before anything is started: iosd would refuse those of the wallet when lspd is up already.
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
