import Ground

/// What people asked for and a step was to make durable whose write has failed: it may be durable all the same. Only the
/// container knows, and says so when it is read before the channel is spoken of again.
struct Unanswered: Hashable, Codable, Sendable {
  var payments: [Bytes32] = []
  var isSpliceAmong = false
  /// Invoices that were to be cancelled.
  var cancelled: [Bytes32] = []
  /// Nobody waits for longer than that.
  var giveUpAt: Instant?

  var isEmpty: Bool { payments.isEmpty && !isSpliceAmong && cancelled.isEmpty }
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
  static let cancelNotStored = "the wallet's storage has failed, and the invoice can still be paid; try again"

  /// The step's write has failed. Whoever waits for it is not refused: that could be wrong.
  mutating func keepUnanswered(at now: Instant) {
    unanswered.payments += wishes.take(step)
    if let cancelled = step?.change.cancelled { unanswered.cancelled.append(cancelled) }
    if isBindingSplice {
      spliceWish = nil
      unanswered.isSpliceAmong = true
    }
    if !unanswered.isEmpty { unanswered.giveUpAt = unanswered.giveUpAt ?? now + Self.payPatience }
  }

  /// The container has been read under the claim of the step.
  mutating func answerFromContainer() -> [NodeDirective] {
    guard !unanswered.isEmpty else { return [] }
    defer { unanswered = Unanswered() }
    let pending = node.payments.pending.map(\.paymentHash)
    let payments = unanswered.payments.map { hash in
      pending.contains(hash)
        ? NodeDirective.paymentOffered(paymentHash: hash)
        : .paymentRefused(paymentHash: hash, .because(Self.payNotStored))
    }
    let cancelled = unanswered.cancelled.map { hash in
      node.invoices.contains { $0.paymentHash == hash }
        ? NodeDirective.cancelRefused(paymentHash: hash, .because(Self.cancelNotStored))
        : .invoiceCancelled(paymentHash: hash)
    }
    let answers = payments + cancelled
    guard unanswered.isSpliceAmong else { return answers }
    let splice = node.channel?.pendingSplice
    return answers + [splice.map { .spliceBegun($0) } ?? .spliceRefused(.because(Self.spliceNotStored))]
  }

  /// It will not be read again, or not in time.
  mutating func giveUpUnanswered() -> [NodeDirective] {
    guard !unanswered.isEmpty else { return [] }
    defer { unanswered = Unanswered() }
    return unanswered.payments.map { .paymentRefused(paymentHash: $0, .because(Self.payUnknown)) }
      + unanswered.cancelled.map { .cancelRefused(paymentHash: $0, .because(Self.cancelUnknown)) }
      + (unanswered.isSpliceAmong ? [.spliceRefused(.because(Self.spliceUnknown))] : [])
  }
}
