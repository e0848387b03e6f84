import Ground

/// Requests whose write has failed: they may be durable all the same. They are answered when the container is read
/// before the next `channel_reestablish`.
struct Unanswered: Hashable, Sendable {
  private var payments: [Bytes32] = []
  private var isSpliceAmong = false
  /// Invoices with a requested cancellation.
  private var cancelled: [Bytes32] = []
  /// When the requests are answered without a read.
  private(set) var giveUpAt: Instant?

  mutating func keep(_ payments: [Bytes32], cancelled: Bytes32?, splice: Bool, until giveUpAt: Instant) {
    self.payments += payments
    if let cancelled { self.cancelled.append(cancelled) }
    isSpliceAmong = isSpliceAmong || splice
    guard !self.payments.isEmpty || isSpliceAmong || !self.cancelled.isEmpty else { return }
    self.giveUpAt = self.giveUpAt ?? giveUpAt
  }

  /// Answers from the state that the container has.
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

  /// Answers that the end is not known: the container is not read again, or not in time.
  mutating func giveUp() -> [NodeDirective] {
    defer { self = Unanswered() }
    return payments.map { .paymentRefused(paymentHash: $0, .unknown(NodeMachine.payUnknown)) }
      + cancelled.map { .cancelRefused(paymentHash: $0, .unknown(NodeMachine.cancelUnknown)) }
      + (isSpliceAmong ? [.spliceRefused(.unknown(NodeMachine.spliceUnknown))] : [])
  }
}

extension Unanswered: Shiftable {
  mutating func shift(by span: TimeSpan) { giveUpAt.shift(by: span) }
}

extension NodeMachine {
  public static let payUnknown =
    "the wallet's storage has failed, and it is not known whether the payment was sent; see `baton list payments` before you try again"
  static let payNotStored = "the wallet's storage has failed; nothing was sent; try again"
  static let spliceUnknown =
    "the wallet's storage has failed, and it is not known whether the withdrawal is pending; see `baton status` before you try again"
  static let spliceNotStored = "the wallet's storage has failed; no money was moved; try again"

  public static let cancelUnknown =
    "the wallet's storage has failed, and it is not known whether the invoice is cancelled; cancel it again"
  static let cancelNotStored =
    "the wallet's storage has failed, and the invoice can still be paid; try again"

  /// The step's write has failed. Its requests are not refused yet: the write may be durable.
  mutating func keepUnanswered(at now: Instant) {
    let isSplice = isBindingSplice
    let payments = (step?.offered ?? []).filter { wantedPayments.contains($0) }
    for payment in payments { wantedPayments.remove(payment) }
    unanswered.keep(
      payments, cancelled: step?.change.cancelled, splice: isSplice,
      until: now + Self.payTimeout)
    if isSplice { wantedSplice = nil }
  }
}
