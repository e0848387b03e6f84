import Lightning
import Ground

// Requests to the LSP about webhooks, until it has answered. Each may be sent again on another connection: it sets,
// lists or removes the same as the first time.
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
    guard wantedWebhooks.all.count < Self.webhookRequestsMax, !wantedWebhooks.contains(id) else {
      return [.webhookRefused(id: id, .because(Self.tooManyWebhookRequests))]
    }
    wantedWebhooks.add(id, request, until: now + Self.webhookTimeout)
    return sendWebhookRequests() + endPause()
  }

  /// Once the peer has accepted this node: a registration of another owner's connection would be refused with it.
  mutating func sendWebhookRequests() -> [NodeDirective] {
    guard isRunning else { return [] }
    let unsent = wantedWebhooks.all.filter { !$0.isSent }
    for index in wantedWebhooks.all.indices { wantedWebhooks.all[index].isSent = true }
    guard !unsent.isEmpty else { return [] }
    return [.send(unsent.map { .message(.service(Bytes($0.request.encoded(id: $0.name)))) })]
  }

  /// LSPS0: an unknown id, a notification and unreadable bytes are ignored.
  mutating func serviceReceived(_ payload: Bytes) -> [NodeDirective] {
    guard isConnected, !wantedWebhooks.all.isEmpty, let reply = ServiceReply(parsing: payload.array),
      let wanted = wantedWebhooks.all.first(where: { $0.name == reply.id && $0.isSent })
    else { return [] }
    wantedWebhooks.remove(wanted.name)
    switch reply.outcome {
    case .success(let result):
      guard let answer = wanted.request.answer(reading: result) else {
        return [.webhookRefused(id: wanted.name, .because(Self.unreadableAnswer))]
      }
      return [.webhookAnswered(id: wanted.name, answer)]
    case .failure(let error): return [.webhookRefused(id: wanted.name, .because(error.description))]
    }
  }

  /// All, or those whose time is over.
  mutating func refuseWebhooks(_ sentence: String, lateAt now: Instant? = nil) -> [NodeDirective] {
    wantedWebhooks.take(lateAt: now).map { .webhookRefused(id: $0, .because(sentence)) }
  }
}
