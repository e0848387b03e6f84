import CoreShape
import DaemonRuntime
import Database
import Lightning

/// Brings pushes to iosd, and tries again every second while there is still a reason for one.
final class PushSender {
  struct Open {
    var id: Int64
    var request: PushRequest
  }

  private static let retryAfter = Span.seconds(1)
  private static let answerWithin = Span.seconds(5)

  private let path: String
  private let loop: EventLoop
  private let ledger: Ledger
  private let isWanted: (PushRequest) -> Bool
  private let onLedgerFailure: (any Error) -> Void

  init(
    path: String, loop: EventLoop, ledger: Ledger, isWanted: @escaping (PushRequest) -> Bool,
    onLedgerFailure: @escaping (any Error) -> Void
  ) {
    self.path = path
    self.loop = loop
    self.ledger = ledger
    self.isWanted = isWanted
    self.onLedgerFailure = onLedgerFailure
  }

  func send(_ push: Open) {
    guard let connection = UnixConnection.connect(path: path, loop: loop) else {
      return tryAgain(push, "iosd is not there", isAttempt: true)
    }
    var isOver = false
    // Exactly one of answer, end and timeout counts.
    let once = { [self] (outcome: String, isDelivered: Bool) in
      guard !isOver else { return }
      isOver = true
      if isDelivered {
        write(push, outcome, isOpen: false, isAttempt: true)
      } else {
        tryAgain(push, outcome, isAttempt: true)
      }
    }
    let timeout = loop.after(Self.answerWithin) { connection.close() }
    connection.onMessage = { answer in
      if let sentence = answer.errorSentence {
        once("iosd refused: \(sentence)", false)
      } else {
        once("delivered", true)
      }
      connection.close()
    }
    connection.onEnd = { end in
      timeout.cancel()
      once("iosd gave no answer: \(end)", false)
    }
    connection.start()
    connection.send(ControlMessage("push", body: Array(Self.payload(of: push.request).utf8)))
  }

  private func tryAgain(_ push: Open, _ outcome: String, isAttempt: Bool) {
    write(push, outcome, isOpen: true, isAttempt: isAttempt)
    loop.after(Self.retryAfter) { [weak self] in self?.resume(push) }
  }

  /// Sends it if there is still a reason, and closes it if not.
  func resume(_ push: Open) {
    if isWanted(push.request) {
      send(push)
    } else {
      write(push, "no longer needed", isOpen: false, isAttempt: false)
    }
  }

  private func write(_ push: Open, _ outcome: String, isOpen: Bool, isAttempt: Bool) {
    do {
      try ledger.writePush(push.id, outcome: outcome, isOpen: isOpen, isAttempt: isAttempt, at: loop.now)
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
    var payload = JSONObject()
    payload.set("aps", raw: aps.text)
    payload.set("reason", request.reason.rawValue)
    payload.set("payment_hash", ifPresent: request.paymentHash?.hex)
    payload.set("amount_msat", ifPresent: request.amountMsat)
    return payload.text
  }
}
