import Ground
import JSON
import DaemonRuntime
import Database
import Lightning

/// Brings pushes to iosd, and tries again every second while there is still a reason for one.
final class PushSender {
  struct Open {
    var id: Int64
    var request: PushRequest

    func isLike(_ other: Open) -> Bool {
      request.reason == other.request.reason && request.paymentHash == other.request.paymentHash
    }
  }

  private static let retryAfter = TimeSpan.seconds(1)
  private static let answerWithin = TimeSpan.seconds(5)

  private let path: String
  private let loop: EventLoop
  private let ledger: Ledger
  /// A silent push after each visible one: it may wake the app in the background.
  private let sendsSilentPushes: Bool
  private let isWanted: (PushRequest) -> Bool
  private let onLedgerFailure: (any Error) -> Void
  /// Asked for and not delivered yet.
  private var open: [Open] = []

  init(
    path: String, loop: EventLoop, ledger: Ledger, sendsSilentPushes: Bool,
    isWanted: @escaping (PushRequest) -> Bool,
    onLedgerFailure: @escaping (any Error) -> Void
  ) {
    self.path = path
    self.loop = loop
    self.ledger = ledger
    self.sendsSilentPushes = sendsSilentPushes
    self.isWanted = isWanted
    self.onLedgerFailure = onLedgerFailure
  }

  /// While iosd is not there the wallet is called again and again: it is to meet one push then, and not all of them.
  func send(_ push: Open) {
    if open.contains(where: { $0.id != push.id && $0.isLike(push) }) {
      return write(push, .merged)
    }
    if !open.contains(where: { $0.id == push.id }) { open.append(push) }
    guard let connection = UnixConnection.connect(path: path, loop: loop) else {
      return tryAgain(push, .iosdAway)
    }
    var isOver = false
    // Exactly one of answer, end and timeout counts.
    let once = { [self] (outcome: PushProgress, detail: String?) in
      guard !isOver else { return }
      isOver = true
      if outcome == .delivered {
        write(push, outcome)
        if sendsSilentPushes { sendSilent(push.request) }
      } else {
        tryAgain(push, outcome, detail: detail)
      }
    }
    let timeout = loop.after(Self.answerWithin) { connection.close() }
    connection.onMessage = { answer in
      if let sentence = answer.errorSentence {
        once(.refused, sentence)
      } else {
        once(.delivered, nil)
      }
      connection.close()
    }
    connection.onEnd = { end in
      timeout.cancel()
      once(.unanswered, "\(end)")
    }
    connection.start()
    connection.send(ControlMessage("push", body: Array(Self.payload(of: push.request).utf8)))
  }

  /// Best effort, as silent pushes are: once, and nobody asks what came of it. The visible one is on its way already.
  private func sendSilent(_ request: PushRequest) {
    guard let connection = UnixConnection.connect(path: path, loop: loop) else { return }
    let timeout = loop.after(Self.answerWithin) { connection.close() }
    connection.onMessage = { _ in connection.close() }
    connection.onEnd = { _ in timeout.cancel() }
    connection.start()
    connection.send(ControlMessage("push", body: Array(Self.silentPayload(of: request).utf8)))
  }

  private func tryAgain(_ push: Open, _ outcome: PushProgress, detail: String? = nil) {
    write(push, outcome, detail: detail)
    loop.after(Self.retryAfter) { [weak self] in self?.resume(push) }
  }

  /// Sends it if there is still a reason, and closes it if not.
  func resume(_ push: Open) {
    if isWanted(push.request) {
      send(push)
    } else {
      write(push, .notNeeded)
    }
  }

  private func write(_ push: Open, _ outcome: PushProgress, detail: String? = nil) {
    if !outcome.isOpen { open.removeAll { $0.id == push.id } }
    do {
      try ledger.writePush(push.id, outcome, detail: detail, at: loop.now)
    } catch { onLedgerFailure(error) }
  }

  /// What Phoenix's pushes look like: a visible alert that an extension may rewrite, and a plain reason.
  static func payload(of request: PushRequest) -> String {
    var alert = JSONObject()
    switch request.reason {
    case .incomingPayment:
      alert.set("title", "Incoming payment")
      alert.set("body", "Open the app to receive")
    case .pendingSettlement:
      alert.set("title", "Please start the wallet")
      alert.set("body", "An incoming settlement is pending.")
    }
    var aps = JSONObject()
    aps.set("alert", raw: alert.text)
    aps.set("mutable-content", 1)
    aps.set("sound", "default")
    aps.set("interruption-level", "time-sensitive")
    return payload(aps, request)
  }

  /// The same for the app itself, without a word for the person.
  static func silentPayload(of request: PushRequest) -> String {
    var aps = JSONObject()
    aps.set("content-available", 1)
    return payload(aps, request)
  }

  private static func payload(_ aps: JSONObject, _ request: PushRequest) -> String {
    var payload = JSONObject()
    payload.set("aps", raw: aps.text)
    payload.set("reason", request.reason.rawValue)
    payload.set("payment_hash", ifPresent: request.paymentHash?.hex)
    payload.set("amount_msat", ifPresent: request.amountMsat)
    return payload.text
  }
}
