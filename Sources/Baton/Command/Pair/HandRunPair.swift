import DaemonRuntime
import Glibc
import Ground
import LightningIO

/// Runs lspd and the app, and the extension for each push. The supervisor ends them all.
final class HandRunPair {
  private struct Part {
    var name: String
    var process: WatchedProcess
  }

  /// lspd answers within milliseconds; a very busy machine takes longer.
  private static let timeout = TimeSpan.seconds(20)

  private let phone: Phone
  private var parts: [Part] = []
  private var wallet: [String] = []

  init(_ phone: Phone) { self.phone = phone }

  // MARK: Starting

  func start() throws {
    for directory in [phone.home, phone.lsp] { try FilePath.makeDirectories(directory) }
    let address = try startPeer()
    wallet = [
      "--container", phone.container, "--keychain", phone.keychain, "--journal", phone.journal, "--peer",
      address,
    ]
    let peer = parts[0].process.pid
    let app = try start("mainappd", wallet + ["--background"])
    parts.append(app)
    printLine(
      "mainappd is process \(app.process.pid), lspd is process \(peer); the container is \(phone.container)")
  }

  private func start(_ name: String, _ arguments: [String]) throws -> Part {
    let program = "\(FilePath.ownDirectory)/\(name)"
    return Part(name: name, process: try DaemonStarter.start(program, arguments: arguments, log: nil))
  }

  /// Returns the address that this lspd reports: the address file may be of an earlier lspd.
  private func startPeer() throws -> String {
    let watch = try DirectoryWatch([phone.lsp])
    let peer = try start("lspd", ["--home", phone.home, "--wallet-file", phone.walletNode])
    parts.append(peer)
    let deadline = Clock.monotonicNow + Self.timeout
    while true {
      if peer.process.hasEnded { throw failure(of: peer) }
      if DaemonProbe.pid(listeningOn: phone.lspdSocket) == peer.process.pid,
        let address = (try? phone.peerFacts(timeout: .seconds(5)))?.address, PeerAddress(address) != nil
      {
        return address
      }
      try require(
        Clock.monotonicNow < deadline, .daemonMissing,
        "lspd (process \(peer.process.pid)) did not answer in time; its output is above")
      let soon = min(deadline, Clock.monotonicNow + .milliseconds(20))
      try watch.wait(until: soon, alsoFor: [peer.process.descriptor])
    }
  }

  // MARK: Running

  /// Returns after the last push; without pushes reads their paths from standard input, one per line.
  func run(pushes: [String]) throws -> ExitCode {
    for push in pushes { try serve(push, endsIfItFails: true) }
    guard pushes.isEmpty else { return .done }
    let lines = LineInput()
    while true {
      try wait(for: lines.descriptor)
      for line in lines.read() where !line.isEmpty { try serve(line, endsIfItFails: false) }
    }
  }

  private func serve(_ push: String, endsIfItFails: Bool) throws {
    let notifier = try start("notifyextd", wallet + ["--push", push])
    try wait(for: notifier.process.descriptor)
    let end = ProcessEnding(notifier.process.reap())
    guard !end.isGood else { return }
    let sentence = "notifyextd (process \(notifier.process.pid)) \(end) at the push \(push)"
    if endsIfItFails { throw CommandFailure(end.exitCode ?? .daemonMissing, sentence) }
    writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
  }

  /// Returns when the descriptor is readable, never for -1; throws when a part ends.
  private func wait(for descriptor: Int32) throws {
    while true {
      // `poll` ignores a negative descriptor.
      var waiting = ([descriptor] + parts.map(\.process.descriptor)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      if poll(&waiting, nfds_t(waiting.count), -1) < 0 && errno != EINTR {
        throw SystemError("wait for the pair")
      }
      for part in parts where part.process.hasEnded { throw failure(of: part) }
      if waiting[0].revents != 0 { return }
    }
  }

  private func failure(of part: Part) -> CommandFailure {
    let end = ProcessEnding(part.process.reap())
    let others = parts.count > 1 ? "; the other processes are ended too" : "; its output is above"
    return CommandFailure(.daemonMissing, "\(part.name) (process \(part.process.pid)) \(end)\(others)")
  }
}

/// Lines of standard input, if this process may read it.
final class LineInput {
  private static let lineBytesMax = 4096

  /// -1 at the end of input.
  private(set) var descriptor: Int32
  private var rest: [UInt8] = []

  /// A background job is stopped (SIGTTIN) if it reads from its terminal.
  init() {
    let isForeground = isatty(standardInput) == 0 || tcgetpgrp(standardInput) == getpgrp()
    descriptor = isForeground ? standardInput : -1
  }

  /// To be called when the descriptor is readable. A line that is too long is truncated.
  func read() -> [String] {
    var buffer = [UInt8](repeating: 0, count: Self.lineBytesMax)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { return [] }
    guard count > 0 else {
      descriptor = -1
      let last = rest
      rest = []
      return [String(decoding: last, as: UTF8.self)]
    }
    rest += buffer[..<count]
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let unfinished = lines.removeLast()
    rest = Array(unfinished.prefix(Self.lineBytesMax))
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
