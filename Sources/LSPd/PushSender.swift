import Ground
import DaemonRuntime
import LightningProvider

/// Sends pushes to iosd, and retries alerts after a second while they have a reason, a batch of them at once.
final class PushSender {
  struct Open {
    var id: Int64
    var request: PushRequest

    /// Whether the phone needs only one of them: they say the same.
    func isLike(_ other: Open) -> Bool {
      request.reason == other.request.reason && request.paymentHash == other.request.paymentHash
        && request.kind == other.request.kind && request.holdUntil == other.request.holdUntil
    }

    /// Best effort: tried once.
    var isSilent: Bool { request.kind == .silent }
  }

  private static let retryAfter = TimeSpan.seconds(1)
  private static let answerWithin = TimeSpan.seconds(5)

  /// iosd's socket. Nil: the wallet's phone is not known, and its pushes go nowhere.
  let path: String?
  private let loop: EventLoop
  private let ledger: Ledger
  private let body: (PushRequest) -> String
  /// For Phoenix: a silent push after each visible one, which may wake the app in the background.
  private let extraBody: ((PushRequest) -> String)?
  private let isWanted: (PushRequest) -> Bool
  private let onLedgerFailure: (any Error) -> Void
  /// Requested and not delivered yet.
  private var open: [Open] = []
  /// Those of them that are to be sent again, in the order of their failures.
  private var waiting: [Open] = []
  private var nextAttempt: LoopTimer?

  init(
    path: String?, loop: EventLoop, ledger: Ledger, body: @escaping (PushRequest) -> String,
    extraBody: ((PushRequest) -> String)? = nil, isWanted: @escaping (PushRequest) -> Bool,
    onLedgerFailure: @escaping (any Error) -> Void
  ) {
    self.path = path
    self.loop = loop
    self.ledger = ledger
    self.body = body
    self.extraBody = extraBody
    self.isWanted = isWanted
    self.onLedgerFailure = onLedgerFailure
  }

  /// Sends the pushes in this order, over one connection: so the phone gets the silent one before its alert, and the
  /// alert waits for no answer. Equal pushes requested while iosd is down are merged into one.
  func send(_ pushes: [Open]) {
    let pushes = pushes.filter(isNew)
    guard !pushes.isEmpty else { return }
    guard let path else {
      for push in pushes { write(push, .noPhone) }
      return
    }
    guard let connection = UnixConnection.connect(path: path, loop: loop) else {
      for push in pushes { tryAgain(push, .iosdAway) }
      return
    }
    // The pushes without an answer: of answer, end and timeout exactly one counts for each.
    var unanswered = pushes[...]
    let timeout = loop.after(Self.answerWithin) { connection.close() }
    connection.onMessage = { [self] answer in
      guard let push = unanswered.popFirst() else { return }
      if let sentence = answer.errorSentence {
        tryAgain(push, .refused, detail: sentence)
      } else {
        write(push, .delivered)
        if let extraBody { sendExtra(extraBody(push.request)) }
      }
      if unanswered.isEmpty { connection.close() }
    }
    connection.onEnd = { [self] end in
      timeout.cancel()
      let rest = unanswered
      unanswered = []
      for push in rest { tryAgain(push, .unanswered, detail: "\(end)") }
    }
    connection.start()
    for push in pushes { connection.send(ControlMessage("push", body: Array(body(push.request).utf8))) }
  }

  /// False for a push that is merged into an open one.
  private func isNew(_ push: Open) -> Bool {
    if open.contains(where: { $0.id != push.id && $0.isLike(push) }) {
      write(push, .merged)
      return false
    }
    if !open.contains(where: { $0.id == push.id }) { open.append(push) }
    return true
  }

  /// Best effort, as silent pushes are: sent once, without a check of the result. The visible one is sent already.
  private func sendExtra(_ body: String) {
    guard let path, let connection = UnixConnection.connect(path: path, loop: loop) else { return }
    let timeout = loop.after(Self.answerWithin) { connection.close() }
    connection.onMessage = { _ in connection.close() }
    connection.onEnd = { _ in timeout.cancel() }
    connection.start()
    connection.send(ControlMessage("push", body: Array(body.utf8)))
  }

  private func tryAgain(_ push: Open, _ outcome: PushProgress, detail: String? = nil) {
    write(push, outcome, detail: detail)
    guard !push.isSilent else { return }
    waiting.append(push)
    sendWaiting(after: Self.retryAfter)
  }

  /// Sends the pushes of before a restart that still have a reason; closes the rows of the others.
  func resume(_ pushes: [Open]) {
    open += pushes
    waiting += pushes
    sendWaiting()
  }

  private func sendWaiting(after span: TimeSpan) {
    guard nextAttempt == nil, !waiting.isEmpty else { return }
    nextAttempt = loop.after(span) { [weak self] in
      self?.nextAttempt = nil
      self?.sendWaiting()
    }
  }

  /// When iosd is back, many may have waited for it: a phone serves as few at once as it takes announcements.
  private func sendWaiting() {
    for push in waiting where !isWanted(push.request) { write(push, .notNeeded) }
    waiting.removeAll { !isWanted($0.request) }
    let batch = waiting.prefix(AnnouncementPace.batch)
    waiting.removeFirst(batch.count)
    // Before the batch, which may fail at once, and be tried after a shorter time.
    sendWaiting(after: AnnouncementPace.pause)
    send(Array(batch))
  }

  private func write(_ push: Open, _ outcome: PushProgress, detail: String? = nil) {
    let isOpen = outcome.isOpen && !push.isSilent
    if !isOpen { open.removeAll { $0.id == push.id } }
    do {
      try ledger.writePush(push.id, outcome, isOpen: isOpen, detail: detail, at: loop.now)
    } catch { onLedgerFailure(error) }
  }
}
