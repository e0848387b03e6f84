// Invariant 5: whom the peer calls for a wallet. No webhook without a registration, none of a wallet that is connected,
// each webhook's registration first, and no push beside a webhook.
extension Checker {
  /// A connection that has failed is closed a little later, and its wallet counts as away meanwhile.
  private static let closingNs: Int64 = 2_000_000_000

  mutating func checkWebhooks() {
    let ledger = evidence.ledger
    // A restart of the machine begins its clock anew.
    let starts = ledger.runs.map(\.startedNs)
    guard !ledger.webhookCalls.isEmpty || !ledger.webhooks.isEmpty, starts == starts.sorted() else { return }
    let webhooks = Dictionary(ledger.webhooks.map { ($0.id, $0) }) { first, _ in first }
    let calls = Dictionary(ledger.webhookCalls.map { ($0.number, $0) }) { first, _ in first }
    for attempt in ledger.webhookAttempts {
      guard let call = calls[attempt.call], let webhook = webhooks[call.webhook],
        webhook.isRegistered(at: attempt.atNs)
      else {
        find(5, "The peer called a webhook that was not registered then", [attempt.evidence])
        continue
      }
      guard !call.isOfRegistration, let connection = connection(at: attempt.atNs) else { continue }
      find(
        5, "The peer called a webhook with \(call.method) while the wallet was connected",
        [attempt.evidence, connection.evidence])
    }
    checkFirstCalls()
    checkPushesBesideWebhooks()
  }

  private func connection(at instantNs: Int64) -> ConnectionEntry? {
    evidence.ledger.connections.first { connection in
      guard connection.isAccepted, let judgedNs = connection.judgedNs else { return false }
      return judgedNs < instantNs && instantNs < (connection.closedNs ?? .max) - Self.closingNs
    }
  }

  private mutating func checkFirstCalls() {
    var called: Set<Int64> = []
    for call in evidence.ledger.webhookCalls {
      guard called.insert(call.webhook).inserted, !call.isOfRegistration else { continue }
      find(5, "A webhook's first call is \(call.method), and not its registration", [call.evidence])
    }
  }

  private mutating func checkPushesBesideWebhooks() {
    let webhooks = evidence.ledger.webhooks
    for push in evidence.ledger.pushes {
      // Requested before the event that registered it, at the latest in the same instant.
      let webhook = webhooks.first { $0.setNs < push.atNs && $0.isRegistered(at: push.atNs) }
      guard let webhook else { continue }
      find(
        5, "The peer requested a push for a wallet with a webhook", [push.evidence, webhook.evidence])
    }
  }
}
