import Lightning
import Ground

// LSPS0 and LSPS5: the wallet's requests about its webhooks, and the calls to them while it is away.
extension PeerMachine {
  /// With one the wallet's payments are announced to it, and not by a push.
  public var hasWebhooks: Bool { state.webhooks?.webhooks.isEmpty == false }

  /// A payment came in the cooldown of the webhooks, which are called after it.
  public var owesWebhookCall: Bool { state.webhooks?.owesPayment == true }

  var webhooksDeadline: Instant? { state.webhooks?.deadline(webhookRules) }

  /// Nothing without a book: no call is open, and there is no one to tell.
  mutating func webhooks(_ step: inout PeerStep, _ change: (inout WebhookBook, inout WebhookStep) -> Void) {
    guard var book = state.webhooks else { return }
    var done = WebhookStep()
    change(&book, &done)
    state.webhooks = book
    step.changes += done.changes.map { .webhook($0) }
    step.afterwards += done.orders.map { .webhook($0) }
  }

  // MARK: Requests

  /// Durable before it is answered.
  mutating func answer(_ payload: Bytes, on connection: UInt64, at now: Instant) -> [PeerDirective] {
    var step = PeerStep(changes: [.frameActedOn(connection: connection)])
    var book = state.webhooks ?? WebhookBook()
    var done = WebhookStep()
    book.hear(payload.array, webhookRules, at: now, &done)
    if !done.changes.isEmpty { state.webhooks = book }
    step.changes += done.changes.map { .webhook($0) }
    step.messages += reply(done, on: connection)
    step.afterwards += done.orders.map { .webhook($0) }
    return step.directives
  }

  /// A node without a channel has no webhooks.
  func answerStranger(_ payload: Bytes, on connection: UInt64) -> [PeerDirective] {
    var done = WebhookStep()
    WebhookBook.refuseStranger(payload.array, webhookRules, &done)
    return PeerStep(changes: [.frameActedOn(connection: connection)], messages: reply(done, on: connection))
      .directives
  }

  private func reply(_ done: WebhookStep, on connection: UInt64) -> [PeerDirective] {
    done.reply.map { [.send(connection: connection, .service(Bytes(Array($0.utf8))))] } ?? []
  }

  // MARK: Notifications

  /// Only of a wallet that is away: one that is here hears by itself.
  public func mayNotify() -> Bool { registered == nil && hasWebhooks }

  mutating func notify(_ notification: WebhookNotification, _ step: inout PeerStep, at now: Instant) {
    guard mayNotify() else { return }
    let rules = webhookRules
    webhooks(&step) { $0.notice(notification, rules, at: now, &$1) }
  }

  mutating func notify(_ notification: WebhookNotification, at now: Instant) -> [PeerDirective] {
    var step = PeerStep()
    notify(notification, &step, at: now)
    return step.directives
  }

  mutating func webhookCalled(
    _ call: UInt64, _ outcome: WebhookOutcome, at now: Instant
  ) -> [PeerDirective] {
    var step = PeerStep()
    webhooks(&step) { $0.ended(call, outcome, at: now, &$1) }
    return step.directives
  }

  mutating func webhooksDue(_ step: inout PeerStep, at now: Instant) {
    guard let webhooksDeadline, webhooksDeadline <= now else { return }
    let rules = webhookRules
    webhooks(&step) { $0.deadlineReached(rules, at: now, &$1) }
  }

  /// A notification of payments is of no use when none waits for the wallet any more.
  mutating func endPaymentCalls() -> [PeerDirective] {
    guard state.payments.isEmpty, state.webhooks?.isQuiet == false else { return [] }
    var step = PeerStep()
    webhooks(&step) { $0.paymentsEnded(&$1) }
    return step.directives
  }
}
