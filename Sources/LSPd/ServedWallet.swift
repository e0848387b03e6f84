import DaemonRuntime
import Ground
import Lightning
import LightningIO
import LightningProvider

/// One wallet: its `PeerMachine` with its connections and pushes. A shell: it makes no decisions.
final class ServedWallet {
  /// The time limit for a disconnected connection to send its last bytes.
  private static let drainWithin = TimeSpan.seconds(1)

  let number: WalletNumber
  private unowned let provider: Provider
  private(set) var runner: CoreRunner<PeerMachine>!
  private var pushes: PushSender!
  private var connections: [UInt64: PeerConnection] = [:]
  /// Frames whose events the core has not handled yet: each event gives exactly one change about its frame.
  private var unwritten: [LedgerStep.FrameBytes] = []
  /// Decided upon messages that arrived together, and not durable yet: one durable write for all of them.
  private var undone: [(step: LedgerStep, directives: [PeerDirective])] = []
  private var isReceiving = false

  /// `state` as in the ledger. `phoneSocket`: where its pushes go.
  init(
    _ number: WalletNumber, of provider: Provider, state: PeerState, phoneSocket: String?,
    awaitsWallet: Bool = false
  ) throws {
    self.number = number
    self.provider = provider
    let options = provider.options
    runner = CoreRunner(
      configuration: .init(
        isLegacy: options.isLegacy, externalDelay: options.externalDelay, rules: options.rules,
        fundingKey: options.splices ? CurvePoint(provider.key.publicKey) : nil,
        spliceDelay: options.spliceDelay, storageDelay: options.storageDelay, startedAt: provider.clock.now,
        state: state, awaitsWallet: awaitsWallet, pushStrategy: options.pushStrategy,
        webhookRules: options.webhooks),
      name: number.coreName, loop: provider.loop, clock: provider.clock, journal: provider.journal
    ) { [unowned self] (directives: [PeerDirective]) in carryOut(directives) }
    let extraBody: ((PushRequest) -> String)? =
      options.sendsSilentPushes ? { PhoenixPush.silentBody(of: $0) } : nil
    pushes = PushSender(
      path: phoneSocket, loop: provider.loop, ledger: provider.ledger,
      body: { [unowned self] in body(of: $0) }, extraBody: extraBody,
      isWanted: { [unowned self] in runner.core.wants($0, at: provider.clock.now) },
      onLedgerFailure: { [unowned provider] in provider.fail($0) })
    pushes.resume(
      try provider.ledger.readOpenPushes(of: number, pending: state.payments).map {
        PushSender.Open(id: $0.id, request: $0.request)
      })
  }

  var isConnected: Bool { !connections.isEmpty }

  /// How the wallet, which is away, hears of a payment that is held for it.
  var wakingWord: String {
    if runner.core.hasWebhooks { return runner.core.owesWebhookCall ? "webhook-later" : "webhook" }
    return pushes.path == nil ? "nothing" : "push"
  }

  // MARK: Connections

  func accept(_ connection: PeerConnection) {
    guard !runner.core.rejects(connection.remote, at: provider.clock.now) else { return connection.cutOff() }
    let id = provider.nextConnection
    connections[id] = connection
    connection.onMessage = { [unowned self] in received($0, from: id) }
    connection.onEnd = { [unowned self] in ended(id, $0.description) }
    runner.handle(.connected(connection: id, node: connection.remote))
  }

  private func received(_ bytes: [UInt8], from id: UInt64) {
    isReceiving = true
    defer { isReceiving = false }
    do throws(WireError) {
      let heard = try HeardMessage(bytes)
      unwritten.append(LedgerStep.FrameBytes(connection: id, bytes: heard.bytes))
      runner.handle(.received(connection: id, heard.message))
    } catch {
      unwritten.append(LedgerStep.FrameBytes(connection: id, bytes: HeardMessage.kept(bytes)))
      runner.handle(.undecodable(connection: id, error.description))
    }
  }

  private func ended(_ id: UInt64, _ why: String) {
    guard connections.removeValue(forKey: id) != nil else { return }
    runner.handle(.closed(connection: id, why))
  }

  private func cutOff(_ id: UInt64, _ why: String) {
    connections[id]?.cutOff()
    ended(id, why)
  }

  private func hangUp(_ id: UInt64, _ why: String) {
    connections[id]?.onEnd = { [unowned self] end in ended(id, "\(why) (\(end))") }
    connections[id]?.hangUp()
    provider.loop.after(Self.drainWithin) { [weak self] in self?.cutOff(id, why) }
  }

  func hangUpAll(_ why: String) { for id in connections.keys.sorted() { hangUp(id, why) } }

  // MARK: Directives

  /// First the durable changes, in one transaction; then the other directives, in order. Changes upon messages wait for
  /// those upon the messages that came with them.
  private func carryOut(_ directives: [PeerDirective]) {
    var step = LedgerStep(wallet: number, at: runner.instant, wallNanoseconds: provider.clock.wallNanoseconds)
    for directive in directives {
      switch directive {
      case .store(let changes):
        step.changes += changes
        // A connection that is evicted at once has no row, and its number is used again.
        for case .connectionOpened(let connection, _) in changes { provider.nextConnection = connection + 1 }
        if changes.contains(where: \.isAboutFrame), !unwritten.isEmpty {
          step.incoming = unwritten.removeFirst()
        }
      case .send(let connection, let message):
        step.outgoing.append(.init(connection: connection, bytes: message.ledgerBytes))
      case .requestPush(let request): step.pushes.append(request)
      case .close, .evict, .webhook, .answer: break
      }
    }
    if step.isOpeningAlone {
      // Our init does not depend on the ledger.
      carryOut(directives, pushing: [])
      return provider.postpone(step)
    }
    undone.append((step, directives))
    // A connection that is to be closed delivers no further message.
    guard isReceiving, !directives.contains(where: \.endsConnection) else { return commitUndone() }
    if undone.count == 1 { provider.loop.post { [weak self] in self?.commitUndone() } }
  }

  private func commitUndone() {
    let undone = undone
    self.undone = []
    do {
      var pushIDs = try provider.commit(undone.map(\.step))[...]
      for (step, directives) in undone {
        carryOut(directives, pushing: Array(pushIDs.prefix(step.pushes.count)))
        pushIDs = pushIDs.dropFirst(step.pushes.count)
      }
    } catch { provider.fail(error) }
  }

  private func carryOut(_ directives: [PeerDirective], pushing ids: [Int64]) {
    var ids = ids[...]
    var requested: [PushSender.Open] = []
    for directive in directives {
      switch directive {
      case .store: break
      case .send(let connection, let message): connections[connection]?.send(message.encoded())
      case .close(let connection, let why): hangUp(connection, why)
      case .evict(let connection, let why): cutOff(connection, why)
      case .requestPush(let request):
        if let id = ids.popFirst() { requested.append(.init(id: id, request: request)) }
      case .webhook(let order): provider.carryOut(order, of: self)
      case .answer(let payment, let outcome): provider.answer(payment, outcome, of: self)
      }
    }
    // Together, so that they keep their order on the way. They wait for nothing that follows them.
    if !requested.isEmpty { pushes.send(requested) }
  }

  private func body(of push: PushRequest) -> String {
    switch provider.options.pushStrategy {
    case .phoenix: PhoenixPush.body(of: push)
    case .bitkit:
      BitkitPush(
        push,
        opensChannel: runner.core.state.payments.contains {
          $0.request.id == push.payment && $0.request.opensChannel == true
        }, key: runner.core.state.pushKey, sealsSilent: provider.options.sealsSilentPush,
        now: provider.clock.now, wallNanoseconds: provider.clock.wallNanoseconds
      ).text
    }
  }
}

extension WalletNumber {
  /// Its machine's name in the journal.
  var coreName: String { self == .own ? PeerMachine.name : "\(PeerMachine.name)-\(value)" }
}

extension PeerDirective {
  fileprivate var endsConnection: Bool {
    switch self {
    case .close, .evict: true
    default: false
    }
  }
}

extension LedgerChange {
  fileprivate var isAboutFrame: Bool {
    switch self {
    case .frameActedOn, .frameIgnored: true
    default: false
    }
  }
}

/// Like Phoenix's pushes: a visible alert that an extension may rewrite, and the reason, hash and amount in clear.
struct PhoenixPush: Encodable {
  var aps: PushAPS
  var reason: String
  var paymentHash: String?
  var amountMsat: UInt64?

  static func body(of request: PushRequest) -> String {
    let alert =
      switch request.reason {
      case .incomingPayment: PushAPS.alert("Incoming payment", "Open the app to receive")
      case .pendingSettlement: PushAPS.alert("Please start the wallet", "An incoming settlement is pending.")
      // Never requested: Phoenix's server has no such pushes.
      case .paidOrder, .mutualClose: PushAPS.alert("Wallet", "Open the app to check for new activity")
      }
    return PhoenixPush(alert, request).text
  }

  /// The silent push for the app, without an alert.
  static func silentBody(of request: PushRequest) -> String { PhoenixPush(.silent, request).text }

  private init(_ aps: PushAPS, _ request: PushRequest) {
    self.aps = aps
    reason = request.reason.rawValue
    paymentHash = request.paymentHash?.hex
    amountMsat = request.amountMsat
  }

  private var text: String { (try? JSONLineEncoder(names: .snakeCase).encode(self)) ?? "{}" }
}

/// The `aps` of a push in Apple's form.
struct PushAPS: Encodable {
  struct Alert: Encodable {
    var title: String
    var body: String
  }

  var alert: Alert?
  var mutableContent: Int?
  var sound: String?
  var interruptionLevel: String?
  var contentAvailable: Int?

  enum CodingKeys: String, CodingKey {
    case alert
    case mutableContent = "mutable-content"
    case sound
    case interruptionLevel = "interruption-level"
    case contentAvailable = "content-available"
  }

  /// A visible push that an extension may rewrite.
  static func alert(_ title: String, _ body: String) -> PushAPS {
    PushAPS(
      alert: Alert(title: title, body: body), mutableContent: 1, sound: "default",
      interruptionLevel: "time-sensitive")
  }

  static let silent = PushAPS(contentAvailable: 1)
}
