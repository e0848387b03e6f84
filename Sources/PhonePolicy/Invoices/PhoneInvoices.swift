import Ground

/// Somebody waits for the app to make an invoice, or to begin to pay one.
struct PendingInvoice: Hashable, Sendable {
  var request: UInt64
  var endsBy: Instant
  var isToBePaid = false
}

extension Phone {
  mutating func wantInvoice(_ request: UInt64, at now: Instant) -> [PhoneDirective] {
    if let obstacle = app.obstacleToInvoices { return [.failInvoice(request: request, obstacle)] }
    invoices.append(PendingInvoice(request: request, endsBy: now + configuration.invoicePatience))
    return [.tell(.app, .invoice(request: request))]
  }

  /// Nobody presses a button of an app that is not on the screen.
  mutating func wantPayment(_ request: UInt64, at now: Instant) -> [PhoneDirective] {
    guard app == .foreground else { return [.failInvoice(request: request, .notInFront)] }
    invoices.append(
      PendingInvoice(request: request, endsBy: now + configuration.invoicePatience, isToBePaid: true))
    return [.tell(.app, .payment(request: request))]
  }

  mutating func answerInvoice(_ request: UInt64) -> [PhoneDirective] {
    guard let index = invoices.firstIndex(where: { $0.request == request }) else { return [] }
    invoices.remove(at: index)
    return [.passOnInvoice(request: request)]
  }

  mutating func reachInvoiceDeadlines(at now: Instant) -> [PhoneDirective] {
    let late = invoices.filter { $0.endsBy <= now }
    invoices.removeAll { $0.endsBy <= now }
    return late.map { .failInvoice(request: $0.request, $0.isToBePaid ? .slowToPay : .timedOut) }
  }

  mutating func endInvoicesWithApp() -> [PhoneDirective] {
    defer { invoices = [] }
    return invoices.map { .failInvoice(request: $0.request, $0.isToBePaid ? .endedWhilePaying : .appEnded) }
  }
}

extension AppState {
  /// Nil: it can make one.
  fileprivate var obstacleToInvoices: InvoiceFailure? {
    switch self {
    case .notRunning: .appNotRunning
    case .launching: .appStarting
    case .suspended: .appSuspended
    case .terminating: .appEnding
    case .foreground, .background: nil
    }
  }
}
