import LightningIO
import Ground
import DaemonRuntime
import Glibc
import Guardrails

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
      let limit = isInterrupted() ? TimeSpan.seconds(1) : StartedDaemon.timeout
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
      let running = try Daemon.allCases.map { (daemon: $0, pid: try RunningDaemon($0, of: phone).pid()) }
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
    return FilePath.exists(phone.socket(of: daemon)) && answers(daemon)
  }

  /// As `Phone.answers`, but an interruption ends it.
  private func answers(_ daemon: Daemon) -> Bool {
    guard let client = try? phone.connect(to: daemon),
      (try? client.send(ControlMessage("status"), timeout: .milliseconds(50))) != nil
    else { return false }
    let end = Clock.monotonicNow + .seconds(5)
    while !isInterrupted(), Clock.monotonicNow < end {
      do throws(ControlClientError) {
        return try client.receive(timeout: .milliseconds(50)).errorSentence == nil
      } catch .timedOut { continue } catch { return false }
    }
    return false
  }

  /// lspd's address for wallets.
  private var address: String? {
    guard let bytes = try? SmallFile.readOwn(phone.lspdAddress, limit: 128) else { return nil }
    let text = String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    return PeerAddress(text) == nil ? nil : text
  }

  private func arguments(for daemon: Daemon) throws(CommandFailure) -> [String] {
    switch daemon {
    case .lspd:
      return ["--home", phone.home] + walletArguments + pushFormArguments + options.lspdArguments
    case .iosd:
      guard address != nil else {
        throw CommandFailure(
          .daemonMissing,
          "lspd has not written its address (\(phone.lspdAddress)); stop it with `baton down` and start again"
        )
      }
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
    let areOurs =
      options.lspd == nil && !options.iosdArguments.contains { ["--app", "--ext"].contains($0) }
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
