import Ground

/// The work on one push: made anew for each, as the system makes a new service object for each.
struct Service: Hashable, Codable, Sendable {
  var push: Push
  var totalEnds: Instant
  /// Restarted by every payment; there is none before the first. Parts that wait for others do not hold it up: they are
  /// durable, a push comes for the rest, and the text of what has been received is not to wait for either.
  var idleEnds: Instant?
  var received: [ReceivedPayment] = []
  /// Notified on their own already: what waits for the end of the push may never be told.
  var notified: [Bytes32] = []
  /// Received earlier, by others too: each may have a notification, which goes before the text tells of it.
  private var maybeToldAlready: [Bytes32] = []
  /// Payments of which not all has come, also when the node that said so is not ours any more: the text tells of them.
  private var incomplete: [Bytes32] = []
  /// Those of which not all came: their senders have the parts back.
  private var givenBack: [Bytes32] = []
  /// When the container is asked again, which could not say what was received.
  var asksAgainAt: Instant?
  /// It ends as soon as the container has said, for the last time, what was received.
  var ending: Ending?
  /// The app wanted the node before we were connected.
  var steppedBack = false
  /// We claimed although the app intentRaised: it was left its time, or is frozen.
  var claimedPastTheIntent = false
  /// The app wants the node and we are connected: no new payment, and an end at the next safe point.
  var isHandingOver = false

  struct Ending: Hashable, Codable, Sendable {
    var reason: FinishReason
    /// Then it ends without the answer.
    var answerBy: Instant
  }

  init(push: Push, startedAt now: Instant) {
    self.push = push
    totalEnds = now + ExtensionMachine.totalTime
  }

  /// What is half-way is not cut off by the idle end: a payment restarts it in a moment, or the total ends it.
  func endsBy(isHalfWay: Bool) -> Instant { isHalfWay ? totalEnds : min(totalEnds, idleEnds ?? totalEnds) }

  var question: GuardDirective { .readReceived(paymentHash: push.paymentHash, push: push.id) }

  /// Nobody is told that nothing came before the container was asked once more: who was frozen, or fenced, or whose turn did
  /// not come, knows nothing of what others have received meanwhile. Where the app goes on, the user is told to look there.
  func asksBeforeItEnds(for reason: FinishReason) -> Bool {
    guard received.isEmpty, push.reason != .unreadable, reason != .containerLost else { return false }
    return outcomeWithoutPayment(for: reason) != .appContinues
  }

  /// Received by the app or by an earlier extension process. This push tells of the payment, even if a notification did before.
  mutating func find(_ payments: [ReceivedPayment]) {
    asksAgainAt = nil
    received = payments + received.filter { !payments.contains($0) }
    maybeToldAlready += payments.map(\.paymentHash).filter { !maybeToldAlready.contains($0) }
  }

  /// What was settled just now may be its payment all the same, accepted in an earlier life that was cut short.
  var lacksItsPayment: Bool {
    push.paymentHash.map { hash in !received.contains { $0.paymentHash == hash } } ?? false
  }

  /// The text of the push tells its own payment, or else the first. Each other has a notification of its own, at once.
  mutating func receive(_ payment: ReceivedPayment) -> [GuardDirective] {
    let isItsOwn = payment.paymentHash == push.paymentHash
    received.insert(payment, at: isItsOwn ? 0 : received.count)
    return tellFurther()
  }

  mutating func tellFurther() -> [GuardDirective] {
    let untold = received.dropFirst().filter { !notified.contains($0.paymentHash) }
    notified += untold.map(\.paymentHash)
    return untold.map { .notify($0) }
  }

  /// What is incomplete no more has been received just now, or its time was over.
  mutating func collect(_ payments: [Bytes32]) {
    let over = incomplete.filter { hash in
      !payments.contains(hash) && !received.contains { $0.paymentHash == hash }
    }
    givenBack = givenBack.filter { !payments.contains($0) } + over
    incomplete = payments
  }

  /// The text, in the place of a notification that may have told of its payment already.
  func conclusion(for reason: FinishReason) -> [GuardDirective] {
    guard let first = received.first else {
      return [.deliver(push: push.id, outcomeWithoutPayment(for: reason))]
    }
    let told = maybeToldAlready.contains(first.paymentHash)
    return (told ? [.withdraw(payment: first.paymentHash)] : [])
      + [.deliver(push: push.id, .received(first))]
  }

  private func outcomeWithoutPayment(for reason: FinishReason) -> PushOutcome {
    switch reason {
    case .appWantsNode, .handedOver, .received: .appContinues
    case .totalTime, .idle, .unreadablePush, .timeWillExpire, .fenced, .terminated, .otherDevice,
      .outOfReach, .tooManyPushes, .containerLost:
      if tells(of: incomplete) {
        .partsWait
      } else if tells(of: givenBack) {
        .partsGivenBack
      } else {
        .nothingReceived(push.reason)
      }
    }
  }

  /// A push that names its payment is told about that one; any other about whatever there is.
  private func tells(of payments: [Bytes32]) -> Bool {
    push.paymentHash.map { payments.contains($0) } ?? !payments.isEmpty
  }
}
