import Ground
import JSON
import DaemonRuntime
import Glibc
import Reports
import SharedContainer

/// One emulated phone: where everything lies in its home, and how its daemons are asked.
struct Phone: Sendable {
  let home: String

  /// Daemons are started with another working directory in mind, so the path is made absolute.
  init(home: String) {
    var path = Substring(home)
    while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
    if path.hasPrefix("/") {
      self.home = String(path)
      return
    }
    let current = getcwd(nil, 0).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
    let relative = path.hasPrefix("./") ? path.dropFirst(2) : path
    let directory = current ?? "."
    self.home = "\(directory.hasSuffix("/") ? directory : directory + "/")\(relative)"
  }

  var container: String { home + "/AppGroup" }
  var keychain: String { home + "/Keychain" }
  /// Whom the wallet says it is, for the provider.
  var walletNode: String { keychain + "/wallet-node" }
  var journal: String { home + "/journal" }
  var os: String { home + "/os" }
  var lsp: String { home + "/lsp" }
  var iosdSocket: String { os + "/iosd.sock" }
  var lspdSocket: String { lsp + "/lspd.sock" }
  var lspdAddress: String { lsp + "/address" }
  var processLedger: String { os + "/processes.jsonl" }
  var clockFile: String { os + "/clock" }

  /// The phone's own clocks where it has them.
  var clock: Clock { Clock(phoneClockFile: clockFile) }

  func socket(of daemon: Daemon) -> String { daemon == .iosd ? iosdSocket : lspdSocket }
  func log(of daemon: Daemon) -> String { daemon == .iosd ? os + "/iosd.log" : lsp + "/lspd.log" }

  // MARK: Asking

  func connect(to daemon: Daemon) throws(ControlClientError) -> ControlClient {
    let client = try ControlClient(path: socket(of: daemon), daemon: daemon.rawValue)
    if let stopped = client.listener.flatMap({ StoppedDaemon(daemon, pid: $0) }) {
      throw .stopped(stopped.description)
    }
    return client
  }

  @discardableResult
  func ask(
    _ daemon: Daemon, _ message: ControlMessage, timeout: TimeSpan = .seconds(30)
  ) throws(ControlClientError) -> ControlMessage {
    try connect(to: daemon).request(message, timeout: timeout)
  }

  /// The JSON body of the answer.
  func askForJSON(
    _ daemon: Daemon, _ message: ControlMessage, timeout: TimeSpan = .seconds(30)
  ) throws -> JSONValue {
    let answer = try ask(daemon, message, timeout: timeout)
    guard let value = JSONValue(parsing: answer.body) else {
      throw CommandFailure(
        .bugOfOurs, "\(daemon.rawValue) answered `\(message.verb)` with something that is no JSON")
    }
    return value
  }

  /// The same as the type that its writer has.
  func ask<Answer: Report>(
    _ daemon: Daemon, _ message: ControlMessage, for type: Answer.Type, timeout: TimeSpan = .seconds(30)
  ) throws -> Answer {
    guard let answer = Answer(json: try ask(daemon, message, timeout: timeout).body) else {
      throw CommandFailure(
        .bugOfOurs, "\(daemon.rawValue) answered `\(message.verb)` with something that is no answer to it")
    }
    return answer
  }

  func facts(timeout: TimeSpan = .seconds(30)) throws -> PhoneFacts {
    try ask(.iosd, ControlMessage("status"), for: PhoneFacts.self, timeout: timeout)
  }

  func peerFacts(timeout: TimeSpan = .seconds(30)) throws -> PeerFacts {
    try ask(.lspd, ControlMessage("status"), for: PeerFacts.self, timeout: timeout)
  }

  /// What ran, too.
  func allProcesses() throws -> [ProcessRow] {
    try ask(.iosd, ControlMessage("ps", ["all": "yes"]), for: [ProcessRow].self)
  }

  func tasks() throws -> [TaskRow] { try ask(.iosd, ControlMessage("tasks"), for: [TaskRow].self) }

  func notifications() throws -> [NotificationRow] {
    try ask(.iosd, ControlMessage("notifications"), for: [NotificationRow].self)
  }

  func peerPayments() throws -> [PeerPaymentRow] {
    try ask(.lspd, ControlMessage("payments"), for: [PeerPaymentRow].self)
  }

  /// Whether the daemon takes connections and answers.
  func answers(_ daemon: Daemon) -> Bool {
    guard let client = try? connect(to: daemon) else { return false }
    return (try? client.request(ControlMessage("status"), timeout: .seconds(5))) != nil
  }
}
