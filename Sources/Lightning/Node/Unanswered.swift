import Ground

/// What people asked for and a step was to make durable whose write has failed: it may be durable all the same. Only the
/// container knows, and says so when it is read before the channel is spoken of again.
struct Unanswered: Hashable, Sendable {
  private var payments: [Bytes32] = []
  private var isSpliceAmong = false
  /// Invoices that were to be cancelled.
  private var cancelled: [Bytes32] = []
  /// Nobody waits for longer than that.
  private(set) var giveUpAt: Instant?

  mutating func keep(_ payments: [Bytes32], cancelled: Bytes32?, splice: Bool, until giveUpAt: Instant) {
    self.payments += payments
    if let cancelled { self.cancelled.append(cancelled) }
    isSpliceAmong = isSpliceAmong || splice
    guard !self.payments.isEmpty || isSpliceAmong || !self.cancelled.isEmpty else { return }
    self.giveUpAt = self.giveUpAt ?? giveUpAt
  }

  /// By what the container has.
  mutating func answer(from node: NodeState) -> [NodeDirective] {
    defer { self = Unanswered() }
    let pending = node.payments.pending.map(\.paymentHash)
    let payments = self.payments.map { hash in
      pending.contains(hash)
        ? NodeDirective.paymentOffered(paymentHash: hash)
        : .paymentRefused(paymentHash: hash, .because(NodeMachine.payNotStored))
    }
    let cancelled = self.cancelled.map { hash in
      node.invoices.contains { $0.paymentHash == hash }
        ? NodeDirective.cancelRefused(paymentHash: hash, .because(NodeMachine.cancelNotStored))
        : .invoiceCancelled(paymentHash: hash)
    }
    let answers = payments + cancelled
    guard isSpliceAmong else { return answers }
    let splice = node.channel?.pendingSplice
    return answers
      + [splice.map { .spliceBegun($0) } ?? .spliceRefused(.because(NodeMachine.spliceNotStored))]
  }

  /// It will not be read again, or not in time.
  mutating func giveUp() -> [NodeDirective] {
    defer { self = Unanswered() }
    return payments.map { .paymentRefused(paymentHash: $0, .because(NodeMachine.payUnknown)) }
      + cancelled.map { .cancelRefused(paymentHash: $0, .because(NodeMachine.cancelUnknown)) }
      + (isSpliceAmong ? [.spliceRefused(.because(NodeMachine.spliceUnknown))] : [])
  }
}

extension Unanswered: Shiftable {
  mutating func shift(by span: TimeSpan) { giveUpAt.shift(by: span) }
}

extension NodeMachine {
  public static let payUnknown =
    "the wallet's storage has failed, and it is not known whether the payment left; look among the payments before you try again"
  static let payNotStored = "the wallet's storage has failed; nothing left; try again"
  static let spliceUnknown =
    "the wallet's storage has failed, and it is not known whether money is being taken out; wait before you try again"
  static let spliceNotStored = "the wallet's storage has failed; nothing has moved; try again"

  public static let cancelUnknown =
    "the wallet's storage has failed, and it is not known whether the invoice is cancelled; ask again"
  static let cancelNotStored =
    "the wallet's storage has failed, and the invoice can still be paid; try again"

  /// The step's write has failed. Whoever waits for it is not refused: that could be wrong.
  mutating func keepUnanswered(at now: Instant) {
    let isSplice = isBindingSplice
    unanswered.keep(
      wantedPayments.take(step), cancelled: step?.change.cancelled, splice: isSplice, until: now + Self.payPatience)
    if isSplice { wantedSplice = nil }
  }
}
