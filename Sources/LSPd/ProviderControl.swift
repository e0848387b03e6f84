import Ground
import Crypto
import DaemonRuntime
import Platform
import Lightning
import LightningProvider
import PhonePolicy

// The control socket: senders' payments, and queries.
extension Provider {
  /// `asked`: the wallet of the phone with the socket.
  func accept(_ client: UnixConnection, for asked: ServedWallet) {
    client.onMessage = { [unowned self] message in
      do {
        try answer(message, to: client, for: asked)
      } catch let error as LedgerError {
        // Whether the last commit arrived is unknown: no answer may tell what became of the request.
        fail(error)
      } catch {
        var refusal = ControlMessage.error("\(error)")
        // It tells the sender that this is about its request, and not about the connection.
        refusal["attempt-id"] = message["attempt-id"]
        client.send(refusal)
      }
    }
    client.onEnd = { [unowned self, unowned client] _ in
      for payment in waiting.keys.sorted() { waiting[payment]?.removeAll { $0 === client } }
    }
  }

  private func answer(_ message: ControlMessage, to client: UnixConnection, for asked: ServedWallet) throws {
    switch message.verb {
    case "pay": try pay(message, of: asked, for: client)
    case "await": try waitFor(message, for: client)
    case "external-invoice": try makeExternalInvoice(message, of: asked, for: client)
    case "fail-next": try orderFailures(message, of: asked, for: client)
    case "fail-channel": try failChannel(message, of: asked, for: client)
    case "order": try announce(.paidOrder, message, of: asked, for: client)
    case "close": try announce(.mutualClose, message, of: asked, for: client)
    case "payments":
      let rows = try PaymentTable.list(ledger.database, of: try wallet(namedIn: message, for: asked).number)
      client.send(ControlMessage("payments", body: Array(rows.json.utf8)))
    case "webhooks":
      let list = try WebhookTables.list(ledger.database, of: try wallet(namedIn: message, for: asked).number)
      client.send(ControlMessage("webhooks", body: Array(list.json.utf8)))
    case "notify": try orderNotification(message, of: asked, for: client)
    case "status":
      var facts = try status(of: try wallet(namedIn: message, for: asked))
      if asked !== own { facts.servedBy = options.home }
      client.send(ControlMessage("status", body: Array(facts.json.utf8)))
    case "down" where asked !== own:
      client.send(.error("this lspd is that of the phone in \(options.home); stop it there"))
    case "down":
      client.send(ControlMessage("down"))
      goDown("asked to go down")
    default:
      client.send(
        .error(
          "lspd has no verb `\(message.verb)`; use pay, await, external-invoice, fail-next, fail-channel, order, close, payments, webhooks, notify, status or down"
        ))
    }
  }

  private func pay(_ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection) throws {
    let hash = try message.bytes32("payment-hash")
    let amount = try message.integer("amount-msat", in: UInt64(1)...ChannelRecord.maximumCapacityMsat)
    let hold = try message.integerIfPresent("hold-seconds", in: Int64(0)...86_400).map {
      TimeSpan.seconds($0)
    }
    let payee = try node("payee", message)
    let data = try paymentData(message)
    let attempt = try message.integerIfPresent("attempt", in: UInt64(1)...1000)
    let attemptID = try attemptID(message)
    let waits = try message.flag("wait", default: true)
    let opensChannel = try message.flag("opens-channel", default: false)
    if let attemptID, let known = try PaymentTable.find(attempt: attemptID, ledger.database) {
      // The same request again, as after a broken connection.
      guard known.hash == hash else {
        throw ControlMessageError.badValue(name: "attempt-id", expected: "an id that no other payment has")
      }
      return try answer(client, known.found, waits: waits)
    }
    let wallet = try wallet(ofPayee: payee, for: asked)
    if opensChannel, let refusal = wallet?.runner.core.refusalToAnnounce(.incomingPayment) { throw refusal }
    let id = nextPayment
    nextPayment += 1
    // Before the event: the core may answer within the call.
    waiting[id] = [client]
    if !waits { answersAtOnce.insert(id) }
    guard let wallet else { return answer(id, .failed(.anotherPayee), of: own) }
    wallet.runner.handle(
      .payRequested(
        PaymentRequest(
          id: id, paymentHash: hash, amountMsat: amount, holdUntil: clock.now + (hold ?? options.hold),
          payee: payee, paymentData: data, attempt: attempt, attemptID: attemptID,
          opensChannel: opensChannel)))
  }

  /// Durable when it is answered. No failures cancel an earlier order.
  private func orderFailures(
    _ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection
  ) throws {
    guard let code = FailureCode(name: try message.required("code")) else {
      throw ControlMessageError.badValue(
        name: "code", expected: "one of BOLT 4's names, such as temporary_channel_failure")
    }
    let times = try message.integerIfPresent("times", in: UInt64(0)...OrderedFailures.limit) ?? 1
    try wallet(namedIn: message, for: asked).runner.handle(
      .failuresOrdered(OrderedFailures(code: code.rawValue, times: times)))
    client.send(ControlMessage("ok", ["code": code.description, "times": "\(times)"]))
  }

  /// Durable when it is answered.
  private func failChannel(
    _ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection
  ) throws {
    let wallet = try wallet(namedIn: message, for: asked)
    if let refusal = wallet.runner.core.refusalToFailChannel { throw refusal }
    wallet.runner.handle(.channelFailureOrdered)
    client.send(ControlMessage("ok", ["channel": wallet.runner.core.state.channel.id.hex]))
  }

  /// The push follows the answer.
  private func announce(
    _ reason: PushReason, _ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection
  ) throws {
    let wallet = try wallet(namedIn: message, for: asked)
    if let refusal = wallet.runner.core.refusalToAnnounce(reason) { throw refusal }
    wallet.runner.handle(.announcementOrdered(reason))
    client.send(ControlMessage("ok", ["channel": wallet.runner.core.state.channel.id.hex]))
  }

  /// For a sender whose connection was lost, or whose lspd was restarted: the result of the payment of that hash or
  /// number, or of the attempt with that id.
  private func waitFor(_ message: ControlMessage, for client: UnixConnection) throws {
    if let id = try attemptID(message) {
      let waits = try message.flag("wait", default: true)
      guard let known = try PaymentTable.find(attempt: id, ledger.database) else {
        client.send(ControlMessage("payment", ["state": "never-arrived"]))
        return
      }
      try answer(client, known.found, waits: waits)
      return
    }
    let hash = try message.bytes32("payment-hash")
    let number = try message.integerIfPresent("payment", in: UInt64(1)...UInt64(Int64.max))
    let waits = try message.flag("wait", default: true)
    guard let found = try PaymentTable.find(hash, number: number, ledger.database) else {
      let which = number.map { " and the number \($0)" } ?? ""
      client.send(
        .error("no payment of the hash \(hash)\(which) was requested; request one with `pay` first"))
      return
    }
    try answer(client, found, waits: waits)
  }

  /// Of a payment that was requested before.
  private func answer(
    _ client: UnixConnection, _ found: (id: UInt64, outcome: PaymentOutcome), waits: Bool
  ) throws {
    if waits, !found.outcome.isFinal {
      waiting[found.id, default: []].append(client)
    } else {
      client.send(Self.reply(found.id, found.outcome))
    }
  }

  private func attemptID(_ message: ControlMessage) throws -> Bytes32? {
    message["attempt-id"] == nil ? nil : try message.bytes32("attempt-id")
  }

  /// Both values are given, or neither.
  private func paymentData(_ message: ControlMessage) throws -> PaymentData? {
    guard message["payment-secret"] != nil || message["total-msat"] != nil else { return nil }
    let secret = try message.bytes32("payment-secret")
    let total = try message.integer("total-msat", in: UInt64(1)...ChannelRecord.maximumCapacityMsat)
    return PaymentData(secret: secret, totalMsat: total)
  }

  func node(_ name: String, _ message: ControlMessage) throws -> PublicKey? {
    guard let word = message[name] else { return nil }
    guard let node = PublicKey(hex: word) else {
      throw ControlMessageError.badValue(name: name, expected: "the 66 hexadecimal digits of a node id")
    }
    return node
  }

  /// Answers the waiting senders.
  func answer(_ payment: UInt64, _ outcome: PaymentOutcome, of wallet: ServedWallet) {
    let core = wallet.runner.core
    let answersNow = answersAtOnce.remove(payment) != nil
    guard outcome.isFinal || answersNow else { return }
    var reply = Self.reply(payment, outcome)
    if outcome == .held { reply["woken-by"] = wallet.wakingWord }
    if outcome == .held, let held = core.state.payments.first(where: { $0.request.id == payment }) {
      reply["held-for-ms"] = "\(max(0, (held.request.holdUntil - clock.now).wholeMilliseconds))"
    }
    for client in waiting.removeValue(forKey: payment) ?? [] { client.send(reply) }
  }

  private static func reply(_ payment: UInt64, _ outcome: PaymentOutcome) -> ControlMessage {
    var reply = ControlMessage("payment", ["payment": "\(payment)"])
    switch outcome {
    case .held: reply["state"] = "held"
    case .offered: reply["state"] = "offered"
    case .settled(let preimage):
      reply["state"] = "settled"
      reply["preimage"] = preimage.hex
    case .failed(let failure):
      reply["state"] = "failed"
      reply["code"] = FailureCode(rawValue: failure.code).description
      reply["reason"] = failure.word
    }
    return reply
  }

  private func status(of wallet: ServedWallet) throws -> PeerFacts {
    let core = wallet.runner.core
    let channel = core.state.channel
    var facts = PeerFacts()
    facts.address = address
    facts.http = http.map { HTTPAddressFile.url($0.address) }
    let refused = (http?.turnedAway ?? 0) + hintsRefused
    facts.httpTurnedAway = refused > 0 ? refused : nil
    facts.failsWith = core.state.orderedFailures.flatMap { FailureCode(rawValue: $0.code).name }
    facts.failsNext = core.state.orderedFailures?.left
    facts.goingDown = isGoingDown ? true : nil
    facts.legacy = options.isLegacy
    facts.wallet = core.state.wallet?.hex
    facts.walletConnected = core.isWalletConnected
    facts.channelEstablished = channel.isReestablished
    facts.epoch = core.state.fence?.epoch
    facts.container = core.state.fence.map { Hexadecimal.encode($0.container.bytes) }
    facts.channel = channel.id.hex
    facts.providerMsat = channel.localMsat
    facts.walletMsat = channel.remoteMsat
    facts.funding = channel.funding.description
    facts.splice = channel.pendingSplice.map { "\($0.stage)" }
    facts.htlcs = channel.htlcs.count
    facts.revision = channel.revision
    facts.held = core.state.payments.filter(\.isHeld).count
    facts.offered = core.state.payments.filter { !$0.isHeld }.count
    if facts.offered > 0 {
      let oldest = try PaymentTable.oldestOffer(
        ledger.database, of: wallet.number, at: ledger.time(clock.now))
      facts.offeredForMs = oldest.map { max(0, (clock.now - $0).wholeMilliseconds) }
    }
    facts.backupBytes = core.state.backup?.count
    facts.waitingBackupBytes = core.waitingBackup?.count
    if options.storageDelay > .zero { facts.storageDelayMs = options.storageDelay.wholeMilliseconds }
    if wallets.count > 1 {
      facts.wallets = wallets.count
      facts.walletsConnected = wallets.values.count { $0.runner.core.isWalletConnected }
    }
    facts.databaseBytes = Connection.allocatedBytes
    facts.heapBytes = MemoryFigures.heapBytes - min(MemoryFigures.heapBytes, facts.databaseBytes)
    facts.timers = loop.timerCount
    return facts
  }
}

extension PaymentOutcome {
  fileprivate var isFinal: Bool {
    switch self {
    case .held, .offered: false
    case .settled, .failed: true
    }
  }
}
