import Lightning
import Ground

/// Requests to the LSP about webhooks, until it has answered. Each may be sent again on another connection: it sets,
/// lists or removes the same as the first time.
struct WantedWebhookRequests: Hashable, Sendable {
  private struct Wanted: Hashable {
    var id: String
    var request: WebhookRequest
    var giveUpAt: Instant
    /// On this connection.
    var isSent = false
  }

  private var all: [Wanted] = []

  var isEmpty: Bool { all.isEmpty }
  var giveUpAt: Instant? { all.map(\.giveUpAt).min() }
  var count: Int { all.count }

  func contains(_ id: String) -> Bool { all.contains { $0.id == id } }

  mutating func add(_ id: String, _ request: WebhookRequest, until giveUpAt: Instant) {
    all.append(Wanted(id: id, request: request, giveUpAt: giveUpAt))
  }

  /// Those that this connection has not carried.
  mutating func takeUnsent() -> [NodeOutgoing] {
    let unsent = all.filter { !$0.isSent }
    for index in all.indices { all[index].isSent = true }
    return unsent.map { .message(.service(Bytes($0.request.encoded(id: $0.id)))) }
  }

  mutating func forgetConnection() { for index in all.indices { all[index].isSent = false } }

  /// Nil unless the LSP answers one of these.
  mutating func take(answer reply: ServiceReply) -> NodeDirective? {
    guard let index = all.firstIndex(where: { $0.id == reply.id && $0.isSent }) else { return nil }
    let wanted = all.remove(at: index)
    switch reply.outcome {
    case .success(let result):
      guard let answer = wanted.request.answer(reading: result) else {
        return .webhookRefused(id: wanted.id, .because(NodeMachine.unreadableAnswer))
      }
      return .webhookAnswered(id: wanted.id, answer)
    case .failure(let error): return .webhookRefused(id: wanted.id, .because(error.description))
    }
  }

  /// All, or those whose time is over.
  mutating func refuse(_ sentence: String, lateAt now: Instant? = nil) -> [NodeDirective] {
    let refused = all.filter { wanted in now.map { wanted.giveUpAt <= $0 } ?? true }
    all.removeAll { refused.contains($0) }
    return refused.map { .webhookRefused(id: $0.id, .because(sentence)) }
  }
}

extension WantedWebhookRequests: Shiftable {
  mutating func shift(by span: TimeSpan) { for index in all.indices { all[index].giveUpAt.shift(by: span) } }
}

extension NodeMachine {
  /// A user asks for one at a time.
  static let webhookRequestsMax = 16
  static let webhookTimeout = TimeSpan.seconds(10)
  static let webhookGivenUp =
    "the node was stopped before the LSP answered; open the app, and ask again (the request does no harm twice)"
  static let webhookTimedOut =
    "the LSP did not answer within 10 s: it is out of reach, or does not support webhooks (LSPS5); ask again later"
  static let tooManyWebhookRequests = "too many requests to the LSP wait already; ask again later"
  static let unreadableAnswer = "the LSP's answer cannot be read; ask again, or update this program"

  mutating func webhookRequested(
    _ id: String, _ request: WebhookRequest, at now: Instant
  ) -> [NodeDirective] {
    switch state {
    case .stopped, .draining: return [.webhookRefused(id: id, .notHeld)]
    default: break
    }
    if let failedSentence { return [.webhookRefused(id: id, .because(failedSentence))] }
    guard wantedWebhooks.count < Self.webhookRequestsMax, !wantedWebhooks.contains(id) else {
      return [.webhookRefused(id: id, .because(Self.tooManyWebhookRequests))]
    }
    wantedWebhooks.add(id, request, until: now + Self.webhookTimeout)
    return sendWebhookRequests() + endPause()
  }

  /// Once the peer has accepted this node: a registration of another owner's connection would be refused with it.
  mutating func sendWebhookRequests() -> [NodeDirective] {
    guard isRunning, !wantedWebhooks.isEmpty else { return [] }
    let outgoing = wantedWebhooks.takeUnsent()
    return outgoing.isEmpty ? [] : [.send(outgoing)]
  }

  /// LSPS0: an unknown id, a notification and unreadable bytes are ignored.
  mutating func serviceReceived(_ payload: Bytes) -> [NodeDirective] {
    guard isConnected, !wantedWebhooks.isEmpty, let reply = ServiceReply(parsing: payload.array) else {
      return []
    }
    return wantedWebhooks.take(answer: reply).map { [$0] } ?? []
  }
}
