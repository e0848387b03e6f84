import Ground
import Crypto
import Lightning

// What the wallet is told of payments that it is to complete: pushes while it is away, and which holds have ended.
extension PeerMachine {
  // MARK: Pushes

  /// In Bitkit's order: the silent one may spare the user the alert's tap.
  func pushes(for request: PaymentRequest, _ reason: PushReason, holdUntil: Instant?) -> [PeerDirective] {
    // Of a part the user is told the whole amount: that is what the sender pays.
    let wholeMsat = request.paymentData?.totalMsat ?? request.amountMsat
    switch pushStrategy {
    case .phoenix:
      let push = PushRequest(
        reason: reason, paymentHash: request.paymentHash, amountMsat: request.amountMsat)
      return [.requestPush(push)]
    case .bitkit:
      return [PushKind.silent, .alert].map { kind in
        .requestPush(
          PushRequest(
            reason: reason, paymentHash: request.paymentHash, amountMsat: wholeMsat, kind: kind,
            payment: request.id, holdUntil: holdUntil))
      }
    }
  }

  /// Bitkit's user is told of a payment that was not held, so that its sender can be asked to pay again.
  mutating func announceUnheld(_ request: PaymentRequest, _ step: inout PeerStep) {
    guard pushStrategy.announces, !hasWebhooks else { return }
    step.afterwards += pushes(for: request, .incomingPayment, holdUntil: nil)
  }

  // MARK: Which payments are announced

  /// Phoenix's push wakes a node, which receives all that waits, and so does a call of a webhook; Bitkit's push tells the
  /// user of one payment.
  var announcesEach: Bool { pushStrategy.announces && !hasWebhooks }

  /// A payment waits for its first push since the wallet left, or since this run began.
  var hasUnannounced: Bool { announcesEach && state.payments.contains { $0.isAnnounced != true } }

  /// With each part of a payment.
  var unannouncedCount: Int { announcesEach ? state.payments.count { $0.isAnnounced != true } : 0 }

  /// The pushes to a wallet that is away with pending payments: the first one for each of them, as many at once as a
  /// phone can serve, then for one.
  mutating func callBack(dueAt: Instant, at now: Instant, _ step: inout PeerStep) {
    calls.noteUnansweredCall(hasUnannounced: hasUnannounced)
    guard hasUnannounced else {
      return call(for: state.payments.firstIndex { !$0.isHeld } ?? 0, at: now, &step)
    }
    // The call for one part is for all parts of its payment.
    for _ in 0..<AnnouncementPace.batch {
      guard let index = state.payments.firstIndex(where: { $0.isAnnounced != true }) else { break }
      call(for: index, at: now, &step)
    }
    calls.noteBatch(dueAt: dueAt, at: now, hasUnannounced: hasUnannounced)
  }

  mutating func noteAnnounced(_ paymentHash: Bytes32) {
    guard announcesEach else { return }
    for index in state.payments.indices where state.payments[index].request.paymentHash == paymentHash {
      state.payments[index].isAnnounced = true
    }
  }

  mutating func append(_ request: PaymentRequest) {
    var payment = PeerPayment(request: request)
    payment.isAnnounced = state.payments.first { $0.request.paymentHash == request.paymentHash }?.isAnnounced
    state.payments.append(payment)
  }

  // MARK: Which pushes are still wanted

  /// Whether there is still a reason for this push.
  public func wants(_ push: PushRequest, at now: Instant) -> Bool {
    switch push.reason {
    case .paidOrder, .mutualClose: true
    // Of a payment that was not held the user learns as long as nobody has paid it, and the app has not come to hear
    // of it.
    case .incomingPayment where push.kind != nil && !push.isHeld:
      registered == nil && push.paymentHash.map { !state.isPaid($0) } == true
    // The sender may have given up and paid again: that payment has pushes of its own, with another end.
    case .incomingPayment where push.kind != nil:
      state.payments.contains {
        $0.isHeld && $0.request.id == push.payment && $0.request.holdUntil > now
      }
    case .incomingPayment: push.paymentHash.map(isHolding) ?? false
    // Another payment in the channel has pushes of its own.
    case .pendingSettlement where push.payment != nil:
      registered == nil && state.payments.contains { !$0.isHeld && $0.request.id == push.payment }
    case .pendingSettlement: registered == nil && state.payments.contains { !$0.isHeld }
    }
  }

  // MARK: The push key

  /// Each connection repeats the key: only another one is stored.
  mutating func received(_ key: CurvePoint, on connection: UInt64) -> [PeerDirective] {
    guard let key = PublicKey(key.bytes.array) else {
      return [.store([.frameIgnored(connection: connection, "the push key is no point of the curve")])]
    }
    guard key != state.pushKey else {
      return [.store([.frameIgnored(connection: connection, "the push key is known")])]
    }
    state.pushKey = key
    return [.store([.frameActedOn(connection: connection), .pushKey(key)])]
  }

  // MARK: Ended holds

  /// Notes the end for a wallet with a push key: it has shown its user that the payment is held. A payment that failed
  /// in the step of its request while the wallet was connected was never announced.
  mutating func holdEnded(
    _ request: PaymentRequest, _ failure: PaymentFailure, _ step: inout PeerStep
  ) {
    let wasAnnounced = failure == .recipientAway || !step.changes.contains(.paymentHeld(request))
    let hash = request.paymentHash
    guard state.pushKey != nil, wasAnnounced,
      !state.payments.contains(where: { $0.request.paymentHash == hash })
    else { return }
    var ended = state.endedHolds ?? EndedHolds()
    if let oldest = ended.add(hash) { step.changes.append(.endedHoldForgotten(paymentHash: oldest)) }
    state.endedHolds = ended
    step.changes.append(.holdEnded(paymentHash: hash))
    if let connection = registered {
      step.messages.append(.send(connection: connection, .holdEnded(hash)))
    }
  }

  /// The hash is held, offered or paid again.
  mutating func forgetEndedHold(of paymentHash: Bytes32, _ step: inout PeerStep) {
    guard state.endedHolds?.remove(paymentHash) == true else { return }
    step.changes.append(.endedHoldForgotten(paymentHash: paymentHash))
  }

  /// For each new connection, after `channel_reestablish`.
  func endedHolds(for connection: UInt64) -> [PeerDirective] {
    guard state.pushKey != nil, let ended = state.endedHolds else { return [] }
    return ended.paymentHashes.map { .send(connection: connection, .holdEnded($0)) }
  }
}
