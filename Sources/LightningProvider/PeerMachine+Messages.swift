import Ground
import Lightning

// Messages, of the wallet on its registered connection and of unknown nodes.
extension PeerMachine {
  mutating func received(
    _ message: Message, from connection: UInt64, at now: Instant, _ step: inout PeerStep
  ) {
    guard let index = links.firstIndex(where: { $0.id == connection }) else {
      return step.ignore(connection, "its connection is closed")
    }
    let link = links[index]
    if rules.silence != nil { links[index].silence = Silence(since: now) }
    if link.isOpen, isTooMuch(message, of: index, at: now) {
      return giveUpSilently(connection, at: now, &step)
    }
    if link.isChatter(message), link.isOpen, !links[index].chatter.takes(of: rules.chatter, at: now) {
      return undecodable(Chatter.excess(rules.chatter), from: connection, at: now, &step)
    }
    switch (link.state, message) {
    case (.awaitingInit, .initMessage(let initMessage)):
      received(initMessage, by: connection, at: now, &step)
    case (.registered, _): received(message, at: now, on: connection, &step)
    case (.visiting, _): receivedFromOtherNode(message, at: now, on: connection, &step)
    default: step.ignore(connection, link.whyIgnored)
    }
  }

  /// Whether the message exceeds the limit of all unknown nodes together, or the connection's limit of gossip.
  private mutating func isTooMuch(_ message: Message, of index: Int, at now: Instant) -> Bool {
    if isOtherNode(links[index].node), !otherNodes.takes(message, at: now) { return true }
    return message.isNumerous && !links[index].gossip.takes(of: Chatter.gossipLimit, at: now)
  }

  /// Closes without a message, so that the connection adds no more rows than its end.
  private mutating func giveUpSilently(_ connection: UInt64, at now: Instant, _ step: inout PeerStep) {
    let why = "too many ignorable messages"
    step.ignore(connection, why)
    lose(connection, at: now, &step)
    step.evictions.append(.evict(connection: connection, why))
  }

  private mutating func receivedFromOtherNode(
    _ message: Message, at now: Instant, on connection: UInt64, _ step: inout PeerStep
  ) {
    switch message {
    case .ping, .initMessage, .error, .pong, .warning, .peerStorageRetrieval, .fenceAnswer, .unknown:
      received(message, at: now, on: connection, &step)
    case .service(let payload): answerStranger(payload, on: connection, &step)
    case .peerStorage, .pushKey, .holdEnded: step.ignore(connection, "there is no channel with this node")
    default:
      let why = "there is no channel with this node"
      step.ignore(connection, why)
      // BOLT 2: an error about the channel in the message, which is not ours.
      let answer =
        message.channel.map { Message.error(ErrorOrWarning(channel: $0, text: why)) }
        ?? .warning(ErrorOrWarning(text: why))
      giveUp(connection, why, sending: answer, at: now, &step)
    }
  }

  mutating func undecodable(
    _ why: String, from connection: UInt64, at now: Instant, _ step: inout PeerStep
  ) {
    step.ignore(connection, why)
    if let link = link(connection), link.isOpen { giveUp(connection, why, at: now, &step) }
  }

  private mutating func received(
    _ message: Message, at now: Instant, on connection: UInt64, _ step: inout PeerStep
  ) {
    let acted = LedgerChange.frameActedOn(connection: connection)
    switch message {
    case .ping(let ping):
      step.changes.append(acted)
      if let answer = ping.answer { step.messages.append(.send(connection: connection, answer)) }
    case .peerStorage(let blob) where !takesBackup(blob, of: connection, at: now):
      let why = "more than \(BackupLoad.bytesPerMinute / 1024 / 1024) MiB of backups came within a minute"
      step.ignore(connection, why)
      giveUp(connection, why, at: now, &step)
    case .peerStorage(let blob):
      step.changes.append(acted)
      if storage.storesAtOnce(blob, of: connection, at: now) { store(blob, of: connection, &step) }
    case .initMessage:
      step.ignore(connection, "a second init")
      giveUp(connection, "there is a second init: send it once", at: now, &step)
    case .error(let error):
      step.changes.append(acted)
      let isOtherNode = link(connection)?.state == .visiting
      let text = isOtherNode ? "another node reports an error" : "the wallet reports: \(error.text)"
      // An error is not answered with an error.
      lose(connection, at: now, &step)
      step.messages.append(.close(connection: connection, text))
    case .pushKey(let key): received(key, on: connection, &step)
    case .service(let payload): answer(payload, on: connection, at: now, &step)
    case .pong, .warning, .peerStorageRetrieval, .fenceAnswer, .holdEnded, .unknown:
      guard let answer = message.gossipAnswer else { return step.ignore(connection, "it needs no answer") }
      step.changes.append(acted)
      step.messages.append(.send(connection: connection, answer))
    default: receivedForChannel(message, at: now, on: connection, &step)
    }
  }

  private mutating func takesBackup(_ blob: Blob, of connection: UInt64, at now: Instant) -> Bool {
    guard let index = links.firstIndex(where: { $0.id == connection }) else { return false }
    defer { links[index].hasBackedUp = true }
    return backups.takes(blob.count, isFirst: !links[index].hasBackedUp, at: now)
  }

  mutating func store(_ blob: Blob, of connection: UInt64, _ step: inout PeerStep) {
    state.backup = blob
    step.changes.append(.backup(connection: connection, blob))
  }

  private mutating func receivedForChannel(
    _ message: Message, at now: Instant, on connection: UInt64, _ step: inout PeerStep
  ) {
    let facts: [ChannelFact]
    do throws(ChannelError) { facts = try state.channel.receive(message) } catch {
      return refused(error, at: now, on: connection, &step)
    }
    step.changes.append(.frameActedOn(connection: connection))
    for fact in facts { take(fact, &step) }
    splicePace.watchQuiescence(state.channel, at: now)
    route(&step, at: now)
    advance(on: connection, &step, isChanged: true, at: now)
  }

  private mutating func refused(
    _ error: ChannelError, at now: Instant, on connection: UInt64, _ step: inout PeerStep
  ) {
    step.ignore(connection, error.description)
    switch error {
    case .weAreBehind: step.changes.append(.dataLoss(connection: connection, .peer))
    case .peerIsBehind: step.changes.append(.dataLoss(connection: connection, .wallet))
    default: break
    }
    let answer = error.message(about: state.channel.id)
    if case .error(let body) = answer, body.channel == state.channel.id {
      state.failure = body.text
      step.changes.append(.channelFailed(connection: connection, body.text))
    }
    giveUp(connection, error.description, sending: answer, at: now, &step)
  }

  private mutating func take(_ fact: ChannelFact, _ step: inout PeerStep) {
    switch fact {
    case .fulfilled(let htlc, let preimage):
      guard let payment = payment(of: htlc) else { return }
      state.payments.removeAll { $0.request.id == payment.request.id }
      state.markPaid(payment.request.paymentHash)
      calls.noteNews()
      step.changes.append(.paymentPaid(payment: payment.request.id, preimage: preimage))
      step.afterwards.append(.answer(payment: payment.request.id, .settled(preimage: preimage)))
    case .failed(let htlc, let code):
      guard let payment = payment(of: htlc) else { return }
      calls.noteNews()
      fail(payment.request.id, .refusedByRecipient(code: code), &step)
    case .committed, .reestablished, .revoked, .settled, .spliceGivenUp: break
    }
  }

  private func payment(of htlc: HTLC) -> PeerPayment? {
    state.payments.first { $0.state == .offered(htlc: htlc.id) }
  }

  /// Offers held payments, and sends the messages that are due.
  mutating func advance(on connection: UInt64, _ step: inout PeerStep, isChanged: Bool, at now: Instant) {
    let before = state.channel.record
    if state.channel.isReestablished { offerHeld(&step) }
    for outgoing in state.channel.takeOutgoing() {
      guard let message = message(outgoing) else { continue }
      if !splicePace.holds(message, for: connection, state.channel.pendingSplice, at: now) {
        step.messages.append(.send(connection: connection, message))
      }
    }
    if isChanged || state.channel.record != before {
      step.changes.append(.channel(StoredChannel(state.channel)))
    }
  }
}

// Connections on which no message arrives any more.
extension PeerMachine {
  func silenceEndsAt(_ link: PeerLink) -> Instant? {
    guard link.state == .registered || link.state == .visiting, let bound = rules.silence else { return nil }
    return link.silence.map { $0.since + bound }
  }

  /// Pings, then evicts without an error: silence does not fail the channel (BOLT 1). Later messages are not
  /// processed.
  mutating func silencesEnded(at now: Instant, _ step: inout PeerStep) {
    for index in links.indices {
      guard let end = silenceEndsAt(links[index]), end <= now else { continue }
      let id = links[index].id
      if let next = links[index].silence?.pinged(at: now, due: end) {
        links[index].silence = next
        step.messages.append(.send(connection: id, Silence.ping))
      } else {
        lose(id, at: now, &step)
        step.evictions.append(.evict(connection: id, Silence.reason))
      }
    }
  }
}

// The LSP's side of a splice: it accepts, adds no inputs or outputs of its own, and may delay its signature.
extension PeerMachine {
  var features: Features { .ofProvider(splices: fundingKey != nil) }

  var splicingSide: SplicingSide? { fundingKey.map { SplicingSide(role: .answers, key: $0) } }

  mutating func sendHeld(_ step: inout PeerStep, at now: Instant) {
    guard let due = splicePace.takeDue(at: now) else { return }
    for message in due.messages { step.messages.append(.send(connection: due.connection, message)) }
  }

  mutating func quiescenceEnded(_ step: inout PeerStep, at now: Instant) {
    guard let end = splicePace.quiescenceEndsAt, end <= now, let connection = registered else { return }
    let why = "the channel was at rest for 60 s: reconnect"
    let warning = Message.warning(
      ErrorOrWarning(channel: state.channel.id, text: why, code: .quiescenceTimeout))
    giveUp(connection, why, sending: warning, at: now, &step)
  }
}

// LSPS0 and LSPS5: the wallet's requests about its webhooks, and the calls to them while it is away.
extension PeerMachine {
  /// With one the wallet's payments are announced to it, and not by a push.
  public var hasWebhooks: Bool { state.webhooks?.webhooks.isEmpty == false }

  /// A payment came in the cooldown of the webhooks, which are called after it.
  public var owesWebhookCall: Bool { state.webhooks?.owesPayment == true }

  var webhooksDeadline: Instant? { state.webhooks?.deadline(webhookRules) }

  /// Nothing without a book: no call is open, and there is no one to tell.
  mutating func webhooks(_ step: inout PeerStep, _ change: (inout WebhookBook, inout WebhookStep) -> Void) {
    guard var book = state.webhooks else { return }
    var done = WebhookStep()
    change(&book, &done)
    state.webhooks = book
    step.changes += done.changes.map { .webhook($0) }
    step.afterwards += done.orders.map { .webhook($0) }
  }

  // MARK: Requests

  /// Durable before it is answered.
  mutating func answer(
    _ payload: Bytes, on connection: UInt64, at now: Instant, _ step: inout PeerStep
  ) {
    step.changes.append(.frameActedOn(connection: connection))
    var book = state.webhooks ?? WebhookBook()
    var done = WebhookStep()
    book.hear(payload.array, webhookRules, at: now, &done)
    if !done.changes.isEmpty { state.webhooks = book }
    step.changes += done.changes.map { .webhook($0) }
    step.messages += reply(done, on: connection)
    step.afterwards += done.orders.map { .webhook($0) }
  }

  /// A node without a channel has no webhooks.
  func answerStranger(_ payload: Bytes, on connection: UInt64, _ step: inout PeerStep) {
    var done = WebhookStep()
    WebhookBook.refuseStranger(payload.array, webhookRules, &done)
    step.changes.append(.frameActedOn(connection: connection))
    step.messages += reply(done, on: connection)
  }

  private func reply(_ done: WebhookStep, on connection: UInt64) -> [PeerDirective] {
    done.reply.map { [.send(connection: connection, .service(Bytes(Array($0.utf8))))] } ?? []
  }

  // MARK: Notifications

  /// Only of a wallet that is away: one that is here hears by itself.
  public func mayNotify() -> Bool { registered == nil && hasWebhooks }

  mutating func notify(_ notification: WebhookNotification, _ step: inout PeerStep, at now: Instant) {
    guard mayNotify() else { return }
    let rules = webhookRules
    webhooks(&step) { $0.notice(notification, rules, at: now, &$1) }
  }

  mutating func webhooksDue(_ step: inout PeerStep, at now: Instant) {
    guard let webhooksDeadline, webhooksDeadline <= now else { return }
    let rules = webhookRules
    webhooks(&step) { $0.deadlineReached(rules, at: now, &$1) }
  }

  /// A notification of payments is of no use when none waits for the wallet any more.
  mutating func endPaymentCalls(_ step: inout PeerStep) {
    guard state.payments.isEmpty, state.webhooks?.isQuiet == false else { return }
    webhooks(&step) { $0.paymentsEnded(&$1) }
  }
}
