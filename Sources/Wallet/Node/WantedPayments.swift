import Ground

/// Requested payments, until they are durable in the channel.
struct WantedPayments: Hashable, Sendable {
  private struct Wanted: Hashable {
    var payment: OutgoingPayment
    var giveUpAt: Instant

    var hash: Bytes32 { payment.paymentHash }
  }

  private var all: [Wanted] = []

  var payments: [OutgoingPayment] { all.map(\.payment) }

  func contains(_ hash: Bytes32) -> Bool { all.contains { $0.hash == hash } }

  mutating func add(_ payment: OutgoingPayment, until giveUpAt: Instant) {
    all.append(Wanted(payment: payment, giveUpAt: giveUpAt))
  }

  mutating func remove(_ hash: Bytes32) { all.removeAll { $0.hash == hash } }

  // MARK: Giving up

  /// The payments that the step under way does not make durable.
  private func open(besides step: NodeMachine.Step?) -> [Wanted] {
    let inStep = step?.offered ?? []
    return all.filter { !inStep.contains($0.hash) }
  }

  func giveUpAt(besides step: NodeMachine.Step?) -> Instant? { open(besides: step).map(\.giveUpAt).min() }

  /// All open payments, or those whose time is over.
  mutating func takeOpen(besides step: NodeMachine.Step?, lateAt now: Instant? = nil) -> [Bytes32] {
    let late = open(besides: step).filter { wanted in now.map { wanted.giveUpAt <= $0 } ?? true }
    all.removeAll { late.contains($0) }
    return late.map(\.hash)
  }

  /// The payments of the step.
  mutating func take(_ step: NodeMachine.Step?) -> [Bytes32] {
    let inStep = step?.offered ?? []
    let taken = all.map(\.hash).filter(inStep.contains)
    all.removeAll { taken.contains($0.hash) }
    return taken
  }
}

extension WantedPayments: Shiftable {
  mutating func shift(by span: TimeSpan) { for index in all.indices { all[index].giveUpAt.shift(by: span) } }
}

extension NodeMachine.Step {
  fileprivate var offered: [Bytes32] { change.payments?.offered.map(\.paymentHash) ?? [] }
}
