// Baton/PhoneClient: one phone from outside: its paths, its daemons' start and requests, a driver and a wait.

import DaemonRuntime
import Glibc
import Ground
import PhonePolicy
import SharedContainer

/// One emulated phone: the paths in its home, and requests to its daemons.
package struct Phone: Sendable {
  package let home: String

  package init(home: String) {
    var path = home
    while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
    self.home = absolutePath(path)
  }

  package var container: String { home + "/AppGroup" }
  package var keychain: String { home + "/Keychain" }
  /// The file with the wallet's node id, for lspd.
  package var walletNode: String { keychain + "/wallet-node" }
  package var journal: String { home + "/journal" }
  package var os: String { home + "/os" }
  package var lsp: String { home + "/lsp" }
  package var iosdSocket: String { os + "/iosd.sock" }
  package var lspdSocket: String { lsp + "/lspd.sock" }
  package var lspdAddress: String { lsp + "/address" }
  /// The file with the address of lspd's HTTP server.
  package var lspdHTTP: String { lsp + "/http" }
  package var lspdHTTPToken: String { lsp + "/http-token" }
  package var processLedger: String { os + "/processes.jsonl" }
  package var clockFile: String { os + "/clock" }

  /// The phone's clock, if it has one.
  package var clock: Clock { Clock(phoneClockFile: clockFile) }

  package func socket(of daemon: Daemon) -> String { daemon == .iosd ? iosdSocket : lspdSocket }
  package func log(of daemon: Daemon) -> String { daemon == .iosd ? os + "/iosd.log" : lsp + "/lspd.log" }

  /// A process of the wallet was started here.
  package var hasRun: Bool { !((try? SmallFile.readOwn(processLedger, limit: 1)) ?? []).isEmpty }

  // MARK: Requests

  package func connect(to daemon: Daemon) throws(ControlClientError) -> ControlClient {
    let client = try ControlClient(path: socket(of: daemon), daemon: daemon.rawValue)
    if let stopped = client.listener.flatMap({ StoppedDaemon(daemon, pid: $0) }) {
      throw .stopped(stopped.description)
    }
    return client
  }

  @discardableResult package func ask(
    _ daemon: Daemon, _ message: ControlMessage, timeout: TimeSpan = .seconds(30)
  ) throws(ControlClientError) -> ControlMessage {
    try connect(to: daemon).request(message, timeout: timeout)
  }

  /// Sends a user's request to the app; `inFront` if the app must be in front. iosd forwards it unread.
  @discardableResult package func askApp(
    _ request: ControlMessage, inFront: Bool = false, timeout: TimeSpan = .seconds(30)
  ) throws(ControlClientError) -> ControlMessage {
    var question = ControlMessage("ask-app", ["in-front": inFront ? "yes" : "no"])
    do { question.body = try request.encoded() } catch { throw .malformed(error) }
    let passedOn = try ask(.iosd, question, timeout: timeout)
    let answer: ControlMessage
    do { answer = try ControlMessage(decoding: passedOn.body) } catch { throw .malformed(error) }
    if let sentence = answer.errorSentence {
      throw answer.leavesOutcomeUnknown ? .outcomeUnknown(sentence) : .refused(sentence)
    }
    if let why = passedOn["pasteboard-refusal"] {
      throw .refused("the app has copied the text, but the pasteboard keeps what it has: \(why)")
    }
    return answer
  }

  /// A payment or withdrawal by the app in front: if iosd gives no answer, the app may have begun it.
  package func askAppToPay(_ request: ControlMessage) throws(ControlClientError) -> ControlMessage {
    do { return try askApp(request, inFront: true) } catch {
      switch error {
      case .timedOut, .hungUp: throw .unknown(after: error)
      default: throw error
      }
    }
  }

  /// The JSON body of the answer.
  package func askForJSON(
    _ daemon: Daemon, _ message: ControlMessage, timeout: TimeSpan = .seconds(30)
  ) throws -> JSONValue {
    let answer = try ask(daemon, message, timeout: timeout)
    let value = try require(
      JSONValue(parsing: answer.body), .bugOfOurs,
      "\(daemon.rawValue) answered `\(message.verb)` without JSON")
    return value
  }

  /// The JSON body, decoded.
  package func ask<Answer: Report>(
    _ daemon: Daemon, _ message: ControlMessage, for type: Answer.Type, timeout: TimeSpan = .seconds(30)
  ) throws -> Answer {
    let answer = try require(
      Answer(json: try ask(daemon, message, timeout: timeout).body), .bugOfOurs,
      "\(daemon.rawValue) answered `\(message.verb)` with unexpected JSON")
    return answer
  }

  package func facts(timeout: TimeSpan = .seconds(30)) throws -> PhoneFacts {
    try ask(.iosd, ControlMessage("status"), for: PhoneFacts.self, timeout: timeout)
  }

  package func peerFacts(timeout: TimeSpan = .seconds(30)) throws -> PeerFacts {
    try ask(.lspd, ControlMessage("status"), for: PeerFacts.self, timeout: timeout)
  }

  /// Running and ended processes.
  package func allProcesses() throws -> [ProcessRow] {
    try ask(.iosd, ControlMessage("ps", ["all": "yes"]), for: [ProcessRow].self)
  }

  package func tasks() throws -> [TaskRow] { try ask(.iosd, ControlMessage("tasks"), for: [TaskRow].self) }

  package func pushes() throws -> [PushRow] { try ask(.iosd, ControlMessage("pushes"), for: [PushRow].self) }

  package func notifications() throws -> [NotificationRow] {
    try ask(.iosd, ControlMessage("notifications"), for: [NotificationRow].self)
  }

  package func peerPayments() throws -> [PeerPaymentRow] {
    try ask(.lspd, ControlMessage("payments"), for: [PeerPaymentRow].self)
  }

  /// Whether the daemon takes connections and answers within 5 s; false at once after an interruption.
  package func answers(_ daemon: Daemon, unless isInterrupted: () -> Bool = { false }) -> Bool {
    guard let client = try? connect(to: daemon),
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
}

// A sender's one attempt at lspd. If the connection breaks before the answer, lspd may have the payment: it is asked by
// the attempt's id, and nothing is sent twice.
extension Phone {
  /// How long lspd may be away until it says what became of an attempt: as long as a sender that tries again waits.
  private static let absenceLimit = TimeSpan.seconds(12)

  /// `request` is that of an invoice, with the attempt's id. Throws `outcomeUnknown` if lspd may have it.
  package func pay(_ request: ControlMessage, timeout: TimeSpan = .seconds(30)) throws -> PaymentAnswer {
    let lspd = try connect(to: .lspd)
    var isSent = false
    do throws(ControlClientError) {
      try lspd.send(request, timeout: timeout)
      isSent = true
      let answer = try lspd.receive(timeout: timeout)
      guard let sentence = answer.errorSentence else { return PaymentAnswer(answer) }
      // Without the attempt's id it is about the connection, as one that makes room for another.
      if answer["attempt-id"] == request["attempt-id"] { throw .refused(sentence) }
    } catch {
      switch error {
      case .hungUp: break
      case .refused: throw error
      default: throw isSent ? ControlClientError.unknown(after: error) : error
      }
    }
    let found: PaymentAnswer
    do throws(ControlClientError) {
      found = try outcome(of: request, waits: request["wait"] == "yes", timeout: timeout)
    } catch { throw ControlClientError.unknown(after: error) }
    try require(
      found.state != PaymentAnswer.neverArrived, .daemonMissing,
      "the connection to lspd broke before it had the payment, and nothing was sent; repeat the command")
    return found
  }

  /// What became of the attempt; `waits`: at its end. lspd may be restarted meanwhile.
  package func outcome(
    of request: ControlMessage, waits: Bool = true, timeout: TimeSpan
  ) throws(ControlClientError) -> PaymentAnswer {
    var question = ControlMessage("await", ["wait": waits ? "yes" : "no"])
    question["attempt-id"] = request["attempt-id"]
    let end = Clock.monotonicNow + timeout
    var lastThere = Clock.monotonicNow
    while true {
      let asked = Clock.monotonicNow
      let now: Instant
      do throws(ControlClientError) {
        return PaymentAnswer(try ask(.lspd, question, timeout: end - asked))
      } catch {
        now = Clock.monotonicNow
        switch error {
        // As long as the caller waits for any answer.
        case .timedOut: throw error
        // It took the question, and went away later.
        case .hungUp where now - asked > .seconds(1): lastThere = now
        case .hungUp, .notRunning, .foreign, .stopped, .refused, .outcomeUnknown, .malformed, .system: break
        }
      }
      guard now < end else { throw .timedOut(path: lspdSocket) }
      guard now - lastThere < Self.absenceLimit else {
        throw .outcomeUnknown(
          "the outcome is unknown: the connection to lspd broke, and lspd does not say what became of the payment, which may still settle; nothing was sent twice; `baton list payments` shows how it ends"
        )
      }
      poll(nil, 0, 100)
    }
  }
}

extension ControlClientError {
  package var leavesOutcomeUnknown: Bool { if case .outcomeUnknown = self { true } else { false } }

  /// A payment or withdrawal may have begun, or may still begin.
  package static func unknown(after error: ControlClientError) -> ControlClientError {
    error.leavesOutcomeUnknown
      ? error
      : .outcomeUnknown(
        "the outcome is unknown: \(error); look at `baton list payments` before you try again")
  }
}
