import Ground
import LightningWire
import LightningChannel

// The channel that runs: receive, make durable, send.
extension NodeMachine {
  mutating func received(_ message: Message, at now: Instant) -> [NodeDirective] {
    let running = taken(by: message, at: now)
    // The pong that was waited for is none too many.
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
    // Nobody's backup is kept here, and none was offered to be.
    case .pong, .unknown, .peerStorage: return []
    case .warning(let complaint): return [.report(.trouble("the peer warns: \(complaint.text)"))]
    case .error(let complaint):
      guard isConnected else { return [] }
      return errorReported(complaint, at: now)
    default: break
    }
    switch state {
    case .initMessage(let heard, _): return receivedInInit(message, heard, at: now)
    case .established:
      if case .initMessage = message { return redial("the peer sent init twice", at: now) }
      return receivedForChannel(message, at: now)
    case .reading, .readingAgain, .adopting, .awaitingBackup:
      return redial("the peer went on before our channel_reestablish", at: now)
    case .stopped, .offline, .pausing, .checkingRow, .dialling, .mute, .draining, .failed: return []
    }
  }

  private mutating func receivedForChannel(_ message: Message, at now: Instant) -> [NodeDirective] {
    guard step == nil else {
      // A step is being stored: what comes meanwhile is taken in its order afterwards.
      return connection.keep(message) ? [] : redial("the peer does not wait for answers", at: now)
    }
    guard var changed = channel else { return [] }
    let facts: [ChannelFact]
    do throws(ChannelError) {
      facts = try changed.receive(message)
    } catch {
      return [.send([.message(error.complaint(about: changed.id))])]
        + redial("the peer broke the protocol: \(error)", at: now)
    }
    channel = changed
    watchSplice(message, at: now)
    let directives = advance(mustStore: message.isStepOfChannel, ended: ended(by: facts), at: now)
    guard let why = givenUp(by: facts) else { return directives }
    return directives + endTalk(why, at: now)
  }

  /// Takes decisions that are due, then makes the step durable; what is to be sent waits for that.
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
    // What was accepted is durable at once, also when nothing can be sent yet: the next step would not know of it.
    guard mustStore || !outgoing.isEmpty || !accepted.isEmpty || !offered.isEmpty || waiting != nil else {
      return refusals
    }
    if changed.record == node.channel?.record {
      // What an earlier connection or owner lost on the way is sent again: it is durable already.
      let lost = outgoing.map { NodeOutgoing.channel($0) }
      guard let waiting else { return refusals + (lost.isEmpty ? [] : [.send(lost)]) }
      step = Step(change: NodeChange(waiting: waiting), outgoing: lost)
      return refusals + write(NodeChange(waiting: waiting))
    }
    let remaining = node.invoices.filter { invoice in !accepted.contains { $0.invoice == invoice } }
    let backup = NodeOutgoing.backup(
      NodeBackup(channel: changed, open: remaining, accepted: node.accepted + accepted.map(\.invoice)))
    // The backup goes out before the messages that make it true for the peer (as lightning-kmp does).
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
    // What a backup tells of was told by whoever accepted it.
    if done.change.restored == nil { directives += done.change.received.map { .report(.received($0)) } }
    if isRunning { directives += say(activity) }
    directives +=
      tellOfPayments(done.change.payments)
      + tellOfSplice(since: before, isRestored: done.change.restored != nil)
    // What the container has of a request may be another now than when it was asked.
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

  /// A set that is complete waits until the step which accepts it is durable, and settles from then on.
  var activity: NodeActivity {
    let waiting = partials.map(\.paymentHash)
    let inStep = step == nil ? [] : saidActivity.collecting.filter { !waiting.contains($0) }
    return NodeActivity(
      isSettling: node.channel?.isSettling ?? false, collecting: (waiting + inStep).sorted(),
      isSplicing: node.channel?.pendingSplice != nil)
  }

  mutating func say(_ activity: NodeActivity) -> [NodeDirective] {
    guard activity != saidActivity else { return [] }
    saidActivity = activity
    return [.report(.busy(activity))]
  }

  /// Until the next step has to be stored, or nothing waits any more.
  private mutating func takeFromInbox(at now: Instant) -> [NodeDirective] {
    var directives: [NodeDirective] = storeFailure()
    while step == nil, stage == .established, let message = connection.takeKept() {
      directives += receivedForChannel(message, at: now)
    }
    // What was due while the step was stored: an answer owed since the re-establishing, a payment to decide about, a request.
    if step == nil, stage == .established {
      let hasMoved = channel?.pendingSplice != node.channel?.pendingSplice
      directives += advance(mustStore: hasMoved, at: now)
    }
    return directives
  }

  // MARK: The container says no

  mutating func storeBlocked(at now: Instant) -> [NodeDirective] {
    switch state {
    case .checkingRow: state = .pausing(until: now + Self.storeRetry)
    case .reading(let heard): state = .readingAgain(heard, at: now + Self.storeRetry)
    case .stopped, .draining:
      let refusals = refuseInvoices(Self.givenUp, besides: step)
      step = nil
      return refusals + refuseTalk(Self.spliceLost)
    default:
      // A step of a connection that is gone is of no use any more: nothing of it was sent.
      if let waiting = step, !waiting.change.isOfInvoice, waiting.change.failure == nil, !isConnected {
        step = nil
      }
      step?.retryAt = now + Self.storeRetry
      if !isConnected { return refuseTalk(Self.spliceLost) + storeFailure() }
    }
    return []
  }

  /// Nothing of the step was sent, so hanging up and reading the state again is always right.
  mutating func storeFailed(_ sentence: String, at now: Instant) -> [NodeDirective] {
    // An invoice of which nobody hears does no harm, wherever it is; one that may be cancelled is not called open.
    let refusals = refuseInvoices(sentence, besides: step?.change.newInvoice == nil ? nil : step)
    keepUnanswered(at: now)
    if step != nil { isBehindContainer = true }
    step = nil
    var unpaid = refusePayments(sentence) + refuseSplice(sentence)
    switch state {
    // Nothing is read any more.
    case .stopped, .draining, .failed: unpaid += unanswered.giveUp()
    default: break
    }
    guard stage != .stopped else { return refusals + unpaid }
    if stage == .failed {
      // Last what lasts: the next owner hears of the failure from the peer.
      return refusals + unpaid
        + ([sentence] + [failedSentence].compactMap { $0 }).map { .report(.trouble($0)) }
        + storeFailure()
    }
    return refusals + unpaid + redial(sentence, at: now)
  }
}

extension Message {
  /// After these the channel may be another: they are never answered, nor forgotten, before it is durable.
  var isStepOfChannel: Bool {
    switch self {
    case .commitmentSigned, .revokeAndAck, .transactionComplete, .transactionSignatures, .transactionAbort,
      .spliceLocked:
      true
    default: false
    }
  }
}
