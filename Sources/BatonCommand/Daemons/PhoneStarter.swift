import PeerTransport
import CoreShape
import DaemonRuntime
import Glibc

/// Brings the two daemons of a phone up, the provider first: the phone must know where it listens.
struct PhoneStarter {
  struct Options: Sendable {
    /// Beside our own program when they are not named.
    var lspd: String?
    var iosd: String?
    /// Given to them as they are.
    var lspdArguments: [String] = []
    var iosdArguments: [String] = []
  }

  struct Result: Sendable {
    var pids: [Daemon: Int32] = [:]
    /// Those that did not run before.
    var started: [Daemon] = []
  }

  /// A daemon answers within milliseconds; a machine that is very busy gets its time.
  private static let patience = Span.seconds(20)

  let phone: Phone
  let options: Options

  func start() throws -> Result {
    for directory in [phone.home, phone.lsp, phone.os, phone.journal] {
      try FilePath.makeDirectories(directory)
    }
    // Twice as long as a daemon may take: there are two of them.
    let lock = try StartLock(phone, patience: Self.patience + Self.patience)
    defer { withExtendedLifetime(lock) {} }
    var result = Result()
    for daemon in Daemon.allCases {
      if phone.answers(daemon) {
        result.pids[daemon] = DaemonProbe.pid(listeningOn: phone.socket(of: daemon))
        continue
      }
      result.pids[daemon] = try start(daemon)
      result.started.append(daemon)
    }
    return result
  }

  private func start(_ daemon: Daemon) throws -> Int32 {
    let watch = try DirectoryWatch([daemon == .lspd ? phone.lsp : phone.os])
    let program =
      (daemon == .lspd ? options.lspd : options.iosd) ?? "\(FilePath.ownDirectory)/\(daemon.rawValue)"
    let process = try DaemonStarter.start(
      program, arguments: try arguments(for: daemon), log: phone.log(of: daemon))
    let deadline = Clock.monotonicNow + Self.patience
    while true {
      if isReady(daemon) { return process.pid }
      if process.hasEnded { throw failure(daemon, "ended before it answered", process) }
      guard Clock.monotonicNow < deadline else { throw failure(daemon, "did not answer in time", process) }
      // The socket's name appears an instant before somebody accepts behind it, so we also look at short intervals.
      let soon = min(deadline, Clock.monotonicNow + .milliseconds(20))
      try watch.wait(until: soon, alsoFor: [process.descriptor])
    }
  }

  private func isReady(_ daemon: Daemon) -> Bool {
    if daemon == .lspd && address == nil { return false }
    return FilePath.exists(phone.socket(of: daemon)) && phone.answers(daemon)
  }

  /// Where wallets reach the provider.
  private var address: String? {
    guard let bytes = SmallFile.read(phone.lspdAddress, limit: 128) else { return nil }
    let text = String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    return PeerAddress(text) == nil ? nil : text
  }

  private func arguments(for daemon: Daemon) throws(CommandFailure) -> [String] {
    switch daemon {
    case .lspd: return ["--home", phone.home] + options.lspdArguments
    case .iosd:
      guard let address else {
        throw CommandFailure(
          .daemonMissing,
          "lspd has not said where it listens (\(phone.lspdAddress)); stop it with `baton down` and start again"
        )
      }
      return ["--home", phone.home, "--peer", address] + options.iosdArguments
    }
  }

  private func failure(_ daemon: Daemon, _ what: String, _ process: WatchedProcess) -> CommandFailure {
    _ = process.reap()
    let log = phone.log(of: daemon)
    let lines = FilePath.lastLines(of: log, count: 8).map { "  \($0)" }
    let end =
      lines.isEmpty
      ? "; it said nothing" : "; its last words are in \(log):\n\(lines.joined(separator: "\n"))"
    return CommandFailure(.daemonMissing, "\(daemon.rawValue) \(what)\(end)")
  }
}
