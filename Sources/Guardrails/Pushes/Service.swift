import Ground

/// The work on one push: a new value for each, as iOS makes a new service object for each.
struct Service: Hashable, Codable, Sendable {
  var push: Push
  var totalEnds: Instant
  /// Restarted by every payment; nil before the first. Incomplete sets do not delay it: their parts are durable, a
  /// push comes for the rest, and the text of a received payment must not wait.
  var idleEnds: Instant?
  var received: [ReceivedPayment] = []
  /// Payments with a notification of their own, posted at once: the process may not live until the end of the push.
  var notified: [Bytes32] = []
  /// Received earlier, also by other processes: each may have a notification, which is removed before the push's text
  /// is delivered.
  private var mayBeNotified: [Bytes32] = []
  /// Payments with missing parts, also when the node that reported them has stopped: the text mentions them.
  private var incomplete: [Bytes32] = []
  /// Payments whose parts were failed back.
  private var failedBack: [Bytes32] = []
  /// When the container is read again, after a failed read.
  var asksAgainAt: Instant?
  /// Set when the service ends after its last read of the container.
  var ending: Ending?
  /// The app wanted the node before we were connected.
  var steppedBack = false
  /// We claimed although the app held its intent lock: it had its 2 s, or is frozen.
  var claimedDespiteIntent = false
  /// The app wants the node and we are connected: accept no new payment, and end at the next safe point.
  var isHandingOver = false

  struct Ending: Hashable, Codable, Sendable {
    var reason: FinishReason
    /// When it ends without that read.
    var answerBy: Instant
  }

  init(push: Push, startedAt now: Instant) {
    self.push = push
    totalEnds = now + ExtensionMachine.totalTime
  }

  /// The idle limit does not cut off pending work: a payment will restart it, or the total time ends it.
  func endsBy(isPending: Bool) -> Instant { isPending ? totalEnds : min(totalEnds, idleEnds ?? totalEnds) }

  var question: GuardDirective { .wallet(.readReceived(paymentHash: push.paymentHash, push: push.id)) }

  /// The container is read once more before the text says "nothing received": a frozen, fenced or never served push does
  /// not know of payments received meanwhile. If the app continues, the text refers to the app instead.
  func asksBeforeItEnds(for reason: FinishReason) -> Bool {
    guard received.isEmpty, push.reason != .unreadable, reason != .containerLost else { return false }
    return outcomeWithoutPayment(for: reason) != .appContinues
  }

  /// Received by the app or by an earlier extension process. This push's text is about the payment, even if it was
  /// notified before.
  mutating func find(_ payments: [ReceivedPayment]) {
    asksAgainAt = nil
    received = payments + received.filter { !payments.contains($0) }
    mayBeNotified += payments.map(\.paymentHash).filter { !mayBeNotified.contains($0) }
  }

  /// The payment settled just now may be this push's, accepted by an earlier process that was killed.
  var lacksItsPayment: Bool {
    push.paymentHash.map { hash in !received.contains { $0.paymentHash == hash } } ?? false
  }

  /// The push's text is about its own payment, else about the first. Every other payment is notified at once.
  mutating func receive(_ payment: ReceivedPayment) -> [GuardDirective] {
    let isItsOwn = payment.paymentHash == push.paymentHash
    received.insert(payment, at: isItsOwn ? 0 : received.count)
    return notifyFurther()
  }

  mutating func notifyFurther() -> [GuardDirective] {
    let untold = received.dropFirst().filter { !notified.contains($0.paymentHash) }
    notified += untold.map(\.paymentHash)
    return untold.map { .wallet(.notify($0)) }
  }

  /// A payment that is no longer incomplete was received just now, or has timed out.
  mutating func collect(_ payments: [Bytes32]) {
    let over = incomplete.filter { hash in
      !payments.contains(hash) && !received.contains { $0.paymentHash == hash }
    }
    failedBack = failedBack.filter { !payments.contains($0) } + over
    incomplete = payments
  }

  /// Delivers the text, and replaces an earlier notification of the same payment.
  func conclusion(for reason: FinishReason) -> [GuardDirective] {
    guard let first = received.first else {
      return [.phone(.deliver(push: push.id, outcomeWithoutPayment(for: reason)))]
    }
    let isNotified = mayBeNotified.contains(first.paymentHash)
    return (isNotified ? [.wallet(.withdraw(payment: first.paymentHash))] : [])
      + [.phone(.deliver(push: push.id, .received(first)))]
  }

  private func outcomeWithoutPayment(for reason: FinishReason) -> PushOutcome {
    switch reason {
    case .appWantsNode, .handedOver, .received: .appContinues
    case .otherDevice: .usedByAnotherDevice
    case .totalTime, .idle, .unreadablePush, .timeWillExpire, .fenced, .terminated, .outOfReach,
      .tooManyPushes, .containerLost, .announced:
      if mentions(incomplete) {
        .partsWait
      } else if mentions(failedBack) {
        .partsGivenBack
      } else {
        .nothingReceived(push.reason)
      }
    }
  }

  /// For a push with a payment hash only that payment counts, else any.
  private func mentions(_ payments: [Bytes32]) -> Bool {
    push.paymentHash.map { payments.contains($0) } ?? !payments.isEmpty
  }
}
