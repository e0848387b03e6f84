import Ground
import JSON
import DaemonRuntime
import Database
import LightningProvider

/// Sends pushes to iosd, and retries every second while the push has a reason.
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
  /// Requested and not delivered yet.
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

  /// Equal pushes requested while iosd is down are merged into one.
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

  /// Best effort, as silent pushes are: sent once, without a check of the result. The visible one is sent already.
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

  /// Sends the push if it still has a reason; else closes its row.
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

  /// Like Phoenix's pushes: a visible alert that an extension may rewrite, and the reason in plain text.
  static func payload(of request: PushRequest) -> String {
    let alert =
      switch request.reason {
      case .incomingPayment: PushBody.Alert(title: "Incoming payment", body: "Open the app to receive")
      case .pendingSettlement:
        PushBody.Alert(title: "Please start the wallet", body: "An incoming settlement is pending.")
      }
    let aps = PushBody.APS(
      alert: alert, mutableContent: 1, sound: "default", interruptionLevel: "time-sensitive")
    return PushBody(aps, request).text
  }

  /// The silent push for the app, without an alert.
  static func silentPayload(of request: PushRequest) -> String {
    PushBody(PushBody.APS(contentAvailable: 1), request).text
  }
}

/// A push in Apple's form.
private struct PushBody: Encodable {
  struct Alert: Encodable {
    var title: String
    var body: String
  }

  struct APS: Encodable {
    var alert: Alert?
    var mutableContent: Int?
    var sound: String?
    var interruptionLevel: String?
    var contentAvailable: Int?

    enum CodingKeys: String, CodingKey {
      case alert
      case mutableContent = "mutable-content"
      case sound
      case interruptionLevel = "interruption-level"
      case contentAvailable = "content-available"
    }
  }

  var aps: APS
  var reason: String
  var paymentHash: String?
  var amountMsat: UInt64?

  init(_ aps: APS, _ request: PushRequest) {
    self.aps = aps
    reason = request.reason.rawValue
    paymentHash = request.paymentHash?.hex
    amountMsat = request.amountMsat
  }

  var text: String { (try? JSONLineEncoder(names: .snakeCase).encode(self)) ?? "{}" }
}
