import Ground
import Guardrails
import Lightning

// The channel in use: receive, make durable, send.
extension NodeMachine {
  mutating func received(_ message: Message, at now: Instant) -> [NodeDirective] {
    let running = taken(by: message, at: now)
    // The pong to the node's own ping does not count as ignorable.
    if !running.isEmpty, case .pong = message { return running }
    if isConnected, let excess = connection.excess(message, rules, at: now) {
      return redial("the peer sent \(excess)", at: now)
    }
    return running + act(on: message, at: now)
  }

  private mutating func act(on message: Message, at now: Instant) -> [NodeDirective] {
    switch message {
    case .ping(let ping):
      guard isConnected, let answer = ping.answer else { return [] }
      return [.send([.message(answer)])]
    case _ where message.gossipAnswer != nil:
      guard isConnected, let answer = message.gossipAnswer else { return [] }
      return [.send([.message(answer)])]
    // The wallet does not offer to store peers' backups.
    case .pong, .unknown, .pushKey, .peerStorage: return []
    case .service(let payload): return serviceReceived(payload)
    // For a wallet without a push key a message of an unknown odd type.
    case .holdEnded(let paymentHash):
      return isConnected && pushKey != nil ? [.holdEnded(paymentHash)] : []
    case .warning(let warning): return [.report(.trouble("the peer warns: \(warning.text)"))]
    case .error(let error):
      guard isConnected else { return [] }
      return errorReported(error, at: now)
    default: break
    }
    switch state {
    case .exchangingInit(let heard, _): return receivedInInit(message, heard, at: now)
    case .established:
      if case .initMessage = message { return redial("the peer sent init twice", at: now) }
      return receivedForChannel(message, at: now)
    case .reading, .readingAgain, .adopting, .awaitingBackup:
      return redial("the peer sent a message of the channel before our channel_reestablish", at: now)
    case .stopped, .preparing, .offline, .pausing, .checkingRow, .dialling, .mute, .draining, .failed:
      return []
    }
  }

  private mutating func receivedForChannel(_ message: Message, at now: Instant) -> [NodeDirective] {
    guard step == nil else {
      // A step is being stored: messages received meanwhile are handled after it, in order.
      return connection.keep(message) ? [] : redial(NodeConnection.inboxExcess, at: now)
    }
    guard var changed = channel else { return [] }
    let facts: [ChannelFact]
    do throws(ChannelError) { facts = try changed.receive(message) } catch {
      return [.send([.message(error.message(about: changed.id))])]
        + redial("the peer broke the protocol: \(error)", at: now)
    }
    channel = changed
    watchSplice(message, at: now)
    let directives = advance(mustStore: message.isStepOfChannel, ended: ended(by: facts), at: now)
    guard let why = givenUp(by: facts) else { return directives }
    return directives + endNegotiation(why, at: now)
  }

  /// Takes the decisions that are due, then stores the step; its messages are sent when it is durable.
  mutating func advance(
    mustStore: Bool, ended: [PaymentChange.Ended] = [], at now: Instant
  ) -> [NodeDirective] {
    guard step == nil, var changed = channel else { return [] }
    let before = partials
    let accepted = acceptsPayments && changed.mayUpdate ? decide(&changed, at: now) : []
    var (offered, refusals) = offerWanted(&changed)
    refusals += beginWanted(&changed, at: now)
    let outgoing = changed.takeOutgoing()
    channel = changed
    let waiting = newWaits(since: before)
    // An accepted payment is stored at once, also if nothing can be sent yet: the next step would not know of it.
    guard mustStore || !outgoing.isEmpty || !accepted.isEmpty || !offered.isEmpty || waiting != nil else {
      return refusals
    }
    if changed.record == node.channel?.record {
      // Messages of durable steps that an earlier connection or owner lost are sent again.
      let lost = outgoing.map { NodeOutgoing.channel($0) }
      guard let waiting else { return refusals + (lost.isEmpty ? [] : [.send(lost)]) }
      step = Step(change: NodeChange(waiting: waiting), outgoing: lost)
      return refusals + write(NodeChange(waiting: waiting))
    }
    let remaining = node.invoices.filter { invoice in !accepted.contains { $0.invoice == invoice } }
    let backup = NodeOutgoing.backup(
      of: changed, open: remaining, accepted: node.accepted + accepted.map(\.invoice))
    // The backup is sent before the messages of its step, as in lightning-kmp.
    let isPaying = !offered.isEmpty || !ended.isEmpty
    let change = NodeChange(
      channel: changed, received: accepted,
      payments: isPaying ? PaymentChange(offered: offered, ended: ended) : nil, waiting: waiting)
    step = Step(change: change, outgoing: outgoing.isEmpty ? [] : [backup] + outgoing.map { .channel($0) })
    return refusals + write(change)
  }

  mutating func written(at now: Instant) -> [NodeDirective] {
    guard let done = step else { return [] }
    step = nil
    let before = node.channel
    apply(done.change)
    let outgoing = done.outgoing + backup(without: done.change.cancelled)
    var directives: [NodeDirective] = outgoing.isEmpty ? [] : [.send(outgoing)]
    directives += done.change.invoiceAnswer
    // The receipts of a backup were reported by the owner that accepted them.
    if done.change.restored == nil {
      directives += done.change.received.map { .report(.received(ReceivedPayment($0))) }
    }
    if isRunning { directives += say(activity) }
    directives +=
      answerPayments(done.change.payments)
      + answerSplice(since: before, isRestored: done.change.restored != nil)
    // The record of past payments that came with a request may be outdated after a restore.
    if done.change.restored != nil { directives += refusePayments(Self.payDuringRestore) }
    if case .adopting(let heard) = state { directives += adopted(heard, at: now) }
    return directives + takeFromInbox(at: now)
  }

  private mutating func apply(_ change: NodeChange) {
    storedWaits(change)
    if let channel = change.channel { node.channel = channel }
    if change.restored != nil, let channel = change.channel { node.payments.follow(channel) }
    if let payments = change.payments { node.payments.apply(payments) }
    if let failure = change.failure { node.failure = failure }
    node.followInvoices(change)
  }

  /// A complete set counts as collecting until the step that accepts it is durable, and as settling from then on.
  var activity: NodeActivity {
    let waiting = partials.map(\.paymentHash)
    let inStep = step == nil ? [] : saidActivity.collecting.filter { !waiting.contains($0) }
    return NodeActivity(
      isSettling: node.channel?.isSettling ?? false, collecting: (waiting + inStep).sorted(),
      isSplicing: node.channel?.pendingSplice != nil)
  }

  /// Payments that the peer has offered, and that are neither fulfilled nor failed. They stay in the channel when the
  /// node stops, and the next node has them.
  public var arriving: [Bytes32] {
    guard stage != .stopped, stage != .failed else { return [] }
    return (node.channel?.arriving ?? []).union(channel?.arriving ?? []).sorted()
  }

  mutating func say(_ activity: NodeActivity) -> [NodeDirective] {
    guard activity != saidActivity else { return [] }
    saidActivity = activity
    return [.report(.busy(activity))]
  }

  /// Handles kept messages until a step has to be stored.
  private mutating func takeFromInbox(at now: Instant) -> [NodeDirective] {
    var directives: [NodeDirective] = storeFailure()
    while step == nil, stage == .established, let message = connection.takeKept() {
      directives += receivedForChannel(message, at: now)
    }
    // Work that became due while the step was stored: messages since channel_reestablish, decisions, requests.
    if step == nil, stage == .established {
      let hasMoved = channel?.pendingSplice != node.channel?.pendingSplice
      directives += advance(mustStore: hasMoved, at: now)
    }
    return directives
  }

  // MARK: Blocked and failed writes

  mutating func storeBlocked(at now: Instant) -> [NodeDirective] {
    switch state {
    case .checkingRow: state = .pausing(until: now + Self.storeRetry)
    case .reading(let heard): state = .readingAgain(heard, at: now + Self.storeRetry)
    case .stopped, .draining:
      let refusals = refuseInvoices(Self.givenUp, besides: step)
      step = nil
      return refusals + refuseNegotiation(Self.spliceLost)
    default:
      // A step of a lost connection is dropped: nothing of it was sent.
      if let waiting = step, !waiting.change.isOfInvoice, waiting.change.failure == nil, !isConnected {
        step = nil
      }
      step?.retryAt = now + Self.storeRetry
      if !isConnected { return refuseNegotiation(Self.spliceLost) + storeFailure() }
    }
    return []
  }

  /// Nothing of the step was sent, so disconnecting and reading the state again is always safe.
  mutating func storeFailed(_ sentence: String, at now: Instant) -> [NodeDirective] {
    // A stored invoice that was never shown does no harm; one that may be cancelled must not be reported as open.
    let refusals = refuseInvoices(sentence, besides: step?.change.newInvoice == nil ? nil : step)
    keepUnanswered(at: now)
    if step != nil { isBehindContainer = true }
    step = nil
    var unpaid = refusePayments(sentence) + refuseSplice(sentence)
    switch state {
    // The container is not read again.
    case .stopped, .draining, .failed: unpaid += unanswered.giveUp()
    default: break
    }
    guard stage != .stopped else { return refusals + unpaid }
    if stage == .failed {
      // The failure is reported last, as it stays. If it was not stored, the next owner learns it from the peer.
      return refusals + unpaid
        + ([sentence] + [failedSentence].compactMap { $0 }).map { .report(.trouble($0)) } + storeFailure()
    }
    // The node has not dialled yet, so nothing ends its wait.
    if stage == .preparing { return refusals + unpaid + [.report(.trouble(sentence))] }
    return refusals + unpaid + redial(sentence, at: now)
  }
}

extension Message {
  /// Messages that may change the channel: the change is stored before any answer.
  var isStepOfChannel: Bool {
    switch self {
    case .commitmentSigned, .revokeAndAck, .transactionComplete, .transactionSignatures, .transactionAbort,
      .spliceLocked:
      true
    default: false
    }
  }
}
