import Crypto
import DaemonRuntime
import Glibc
import Ground
import HTTP
import Lightning
import LightningIO
import LightningProvider

/// The LSP's shell: the listener, the ledger and the control socket around the wallets, each of which has a
/// `PeerMachine` of its own. It makes no decisions.
final class Provider {
  let options: ProviderOptions
  let loop: EventLoop
  let clock: Clock
  let journal: Journal
  let ledger: Ledger
  let key: PrivateKey
  /// The phone's own wallet, which also takes unknown nodes.
  var own: ServedWallet!
  var wallets: [WalletNumber: ServedWallet] = [:]
  let phones: [ServedPhone]
  var phoneListeners: [UnixListener] = []
  private var listener: PeerListener?
  let webhookCaller: WebhookCaller
  var http: HTTPServer?
  var accessLog: AccessLog?
  let hintToken = Hexadecimal.encode(randomBytes(16))
  var hintBucket: TokenBucket
  var refusalBucket: TokenBucket
  var hintsRefused = 0
  var nextConnection: UInt64
  var nextPayment: UInt64
  var waiting: [UInt64: [UnixConnection]] = [:]
  /// Payments whose sender requests the first answer, not the final one.
  var answersAtOnce: Set<UInt64> = []
  private(set) var isGoingDown = false
  private var hasReportedMissingWallet = false
  /// Steps that are not durable yet, as no message waits for them: connections that were only opened.
  private var postponed: [LedgerStep] = []

  init(
    options: ProviderOptions, loop: EventLoop, clock: Clock, journal: Journal, ledger: Ledger, key: PrivateKey
  )
    throws
  {
    self.options = options
    self.loop = loop
    self.clock = clock
    self.journal = journal
    self.ledger = ledger
    self.key = key
    hintBucket = TokenBucket(left: Self.hintsPerSecond, at: clock.now)
    refusalBucket = hintBucket
    webhookCaller = WebhookCaller(loop: loop, key: key, options: options)
    try ledger.beginRun(
      at: clock.now, wallNanoseconds: clock.wallNanoseconds, isLegacy: options.isLegacy,
      storageDelay: options.storageDelay, pushStrategy: options.pushStrategy, boot: clock.boot)
    phones = try Self.phones(options, ledger)
    nextConnection = try ledger.nextConnection()
    nextPayment = try ledger.nextPayment()
    try beginWallets()
  }

  // MARK: Connections

  /// Listens on the last run's address, so that wallets find it again; on another port if that one is taken.
  func listen() throws {
    let file = AddressFile(path: options.address)
    let last = file.read()
    let listener: PeerListener
    if let wanted = options.listen {
      listener = try makeListener(wanted)
    } else if let last, let again = try? makeListener(last.place) {
      listener = again
    } else {
      listener = try makeListener(HostAndPort(loopback: 0))
    }
    self.listener = listener
    let address = PeerAddress(node: key.publicKey, place: listener.address)
    try file.write(address)
    for phone in phones { try listen(for: phone) }
    journal.note("listening on \(address)")
    printLine("lspd listens on \(address)")
  }

  /// The address that wallets dial; empty until lspd listens.
  var address: String {
    listener.map { PeerAddress(node: key.publicKey, place: $0.address).description } ?? ""
  }

  private func makeListener(_ address: HostAndPort) throws(SystemError) -> PeerListener {
    try PeerListener(address, as: key, loop: loop) { [unowned self] in accept($0) }
  }

  func readWalletFile() throws {
    let core = own.runner.core
    guard let file = options.walletFile, core.lacksWallet || core.mayBeNamedAnew else { return }
    if let node = NodeIDFile.read(file) {
      guard own.runner.core.state.wallet != node, try ledger.wallet(of: node) ?? .own == .own else { return }
      own.runner.handle(.walletNamed(node))
    } else if core.lacksWallet, !hasReportedMissingWallet {
      hasReportedMissingWallet = true
      printLine(
        "lspd: a node has connected, and \(file) does not have the wallet's node id yet; until it has, no node gets the channel. For a wallet that does not write the file, start lspd without --wallet-file"
      )
    }
  }

  // MARK: The ledger

  /// Writes an opened connection together with its first messages of the same turn: the wallet waits for one durable
  /// write instead of two.
  func postpone(_ step: LedgerStep) {
    postponed.append(step)
    loop.post { [weak self] in
      do { _ = try self?.commit([]) } catch { self?.fail(error) }
    }
  }

  /// Returns the ids of the pushes, in order.
  func commit(_ new: [LedgerStep]) throws -> [Int64] {
    let steps = postponed + new.filter { !$0.isEmpty }
    guard !steps.isEmpty else { return [] }
    let ids = try ledger.commit(steps)
    postponed = []
    return ids
  }

  /// Exits: a decision that the ledger cannot store must not be sent, and only a restart goes back to the stored
  /// state.
  func fail(_ error: any Error) -> Never {
    journal.recordEnd(reason: "\(error)")
    exitWithSentence(.inputOutputError, "\(error)")
  }

  /// Disconnects and ends. Nothing is lost, as the state is durable already.
  func goDown(_ reason: String) {
    guard !isGoingDown else { return }
    isGoingDown = true
    listener = nil
    http = nil
    for number in wallets.keys.sorted() { wallets[number]?.hangUpAll(reason) }
    endWhenDrained(reason)
  }

  private func endWhenDrained(_ reason: String) {
    guard !wallets.values.contains(where: \.isConnected) else {
      loop.after(.milliseconds(10)) { [weak self] in self?.endWhenDrained(reason) }
      return
    }
    for listener in phoneListeners { listener.shutDown() }
    journal.recordEnd(reason: reason)
    loop.stop()
  }
}

/// Posts signed notifications to the wallets' webhooks, in the event loop. A server that does not answer, and a name that
/// does not resolve, take one of the connections for ten seconds. A shell: it makes no decisions.
final class WebhookCaller {
  private struct Key: Hashable {
    var wallet: WalletNumber
    var call: UInt64
  }

  private static let answerWithin = TimeSpan.seconds(10)
  /// Beyond them calls wait, and their time runs: that takes 64 wallets at once with two silent servers each.
  private static let connectionsMax = 128

  private let loop: EventLoop
  private let key: PrivateKey
  private let reach: AddressReach
  private let authorities: String?
  /// Nil until the first call: most wallets have no webhooks.
  private var client: HTTPClient?
  private var underWay: [Key: UInt64] = [:]

  init(loop: EventLoop, key: PrivateKey, options: ProviderOptions) {
    self.loop = loop
    self.key = key
    reach = options.webhooks.reach == .anywhere ? .publicOnly : .loopback
    authorities = options.webhookAuthorities
  }

  /// `timestamp`: when the notification was made. Each attempt has the same, and so the same signature, by which a
  /// server knows one that it has had already.
  func call(
    _ call: WebhookCall, of wallet: WalletNumber, at timestamp: String,
    _ ended: @escaping (WebhookOutcome) -> Void
  ) {
    guard let client = client ?? (try? HTTPClient(loop: loop, connections: Self.connectionsMax)) else {
      return loop.post { ended(.unreachable) }
    }
    self.client = client
    let body = call.notification.body
    let signature = SignedMessage.sign(WebhookNotification.signedText(of: body, at: timestamp), with: key)
    let place = Key(wallet: wallet, call: call.number)
    underWay[place] = client.post(
      call.webhook.url,
      headers: [
        "Content-Type: application/json", "x-lsps5-timestamp: \(timestamp)",
        "x-lsps5-signature: \(signature)",
      ], body: body, to: reach, authorities: authorities, within: Self.answerWithin
    ) { [weak self] result in
      self?.underWay[place] = nil
      ended(WebhookOutcome(result))
    }
  }

  func cancel(_ call: UInt64, of wallet: WalletNumber) {
    if let number = underWay.removeValue(forKey: Key(wallet: wallet, call: call)) { client?.cancel(number) }
  }
}

extension WebhookOutcome {
  fileprivate init(_ result: Result<HTTPAnswer, HTTPFailure>) {
    switch result {
    case .success(let answer): self = .answered(status: answer.status)
    case .failure(.timedOut): self = .timedOut
    case .failure(.forbidden): self = .forbiddenAddress
    case .failure(.unreachable), .failure(.tooLarge): self = .unreachable
    }
  }
}

// The external recipient of outgoing payments: another node, with its own key.
extension Provider {
  static let externalTextMax = 200

  func makeExternalInvoice(
    _ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection
  ) throws {
    let amount = try message.integer("amount-msat", in: UInt64(1)...ChannelRecord.maximumCapacityMsat)
    let expiry = try message.integerIfPresent("expiry-seconds", in: UInt64(1)...31_536_000) ?? 3600
    let isForgotten = try message.flag("forgotten", default: false)
    let text = message["description"] ?? ""
    guard text.utf8.count <= Self.externalTextMax else {
      throw ControlMessageError.badValue(
        name: "description", expected: "at most \(Self.externalTextMax) bytes")
    }
    // A secret derived from the key, without copying the key.
    let ownSecret = key.sharedSecret(with: key.publicKey).bytes
    guard let preimage = Bytes32(randomBytes(Bytes32.size)), let secret = Bytes32(randomBytes(Bytes32.size)),
      let node = PrivateKey(HMACSHA256.authenticate(Array("baton elsewhere node".utf8), key: ownSecret))
    else {
      client.send(.error("the external node's key could not be made; try again"))
      return
    }
    let hash = SHA256.hash(preimage.bytes)
    let fields = InvoiceFields(
      network: .regtest, amountMsat: amount,
      timestamp: UInt64(bitPattern: clock.wallNanoseconds / 1_000_000_000), paymentHash: hash,
      paymentSecret: secret, purpose: .text(text), expirySeconds: expiry,
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard, routeHints: [], features: .ofEveryInvoice)
    let word = try SignedInvoice(fields, signedBy: node).encoded
    // Durable when this returns. A forgotten invoice is not stored: its payment fails with
    // incorrect_or_unknown_payment_details.
    if !isForgotten {
      try wallet(namedIn: message, for: asked).runner.handle(
        .externalInvoiceMade(
          ExternalInvoice(paymentHash: hash, amountMsat: amount, paymentSecret: secret, preimage: preimage)))
    }
    client.send(ControlMessage("invoice", ["invoice": word]))
  }
}

// The wallets' webhooks: calls and the control socket's orders.
extension Provider {
  func carryOut(_ order: WebhookOrder, of wallet: ServedWallet) {
    switch order {
    case .cancel(let call): webhookCaller.cancel(call, of: wallet.number)
    case .call(let call):
      do {
        let timestamp = try WebhookTables.timestamp(of: call.number, wallet.number, ledger.database)
        webhookCaller.call(call, of: wallet.number, at: timestamp) { [weak wallet] outcome in
          wallet?.runner.handle(.webhookCalled(call: call.number, outcome))
        }
      } catch { fail(error) }
    }
  }

  /// A user's order. `lsps5.payment_incoming` comes with a payment alone.
  func orderNotification(_ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection) throws
  {
    let orderable: [WebhookNotification.Method] = [
      .expirySoon, .liquidityManagementRequest, .onionMessageIncoming,
    ]
    guard let method = orderable.first(where: { $0.rawValue == message["method"] }) else {
      throw ControlMessageError.badValue(
        name: "method", expected: orderable.map(\.rawValue).joined(separator: ", "))
    }
    let timeout = try message.integerIfPresent("timeout", in: UInt32(0)...UInt32.max)
    guard let notification = WebhookNotification(method, timeout: timeout) else {
      throw ControlMessageError.badValue(
        name: "timeout",
        expected: "a block height with \(WebhookNotification.Method.expirySoon.rawValue) alone")
    }
    let wallet = try wallet(namedIn: message, for: asked)
    guard wallet.runner.core.mayNotify() else {
      client.send(
        .error(
          wallet.runner.core.hasWebhooks
            ? "the wallet is connected, and hears by itself what waits for it; quit the app first"
            : "the wallet has no webhook; register one with `baton webhook set`"))
      return
    }
    let before = wallet.runner.core.state.webhooks?.calls.count ?? 0
    wallet.runner.handle(.notificationOrdered(notification))
    let calls = (wallet.runner.core.state.webhooks?.calls.count ?? 0) - before
    client.send(ControlMessage("ok", ["method": method.rawValue, "calls": "\(calls)"]))
  }
}

// The wallets: that of lspd's own phone, which also takes unknown nodes, and those of the other phones.
extension Provider {
  /// All of the ledger, as a hold ends and a push goes out without the wallet.
  func beginWallets() throws {
    own = try begin(
      .own, state: try ownState(), phoneSocket: options.ownPhoneSocket,
      awaitsWallet: options.walletFile != nil && options.wallet == nil)
    for number in try ledger.wallets() where number != .own {
      let phone = phones.first { $0.wallet == number }
      _ = try begin(
        number, state: try readState(of: number), phoneSocket: phone?.iosdSocket, awaitsWallet: phone != nil)
    }
  }

  private func begin(
    _ number: WalletNumber, state: PeerState, phoneSocket: String?, awaitsWallet: Bool
  ) throws -> ServedWallet {
    let wallet = try ServedWallet(
      number, of: self, state: state, phoneSocket: phoneSocket, awaitsWallet: awaitsWallet)
    wallets[number] = wallet
    return wallet
  }

  private func ownState() throws -> PeerState {
    var state = try readState(of: .own)
    guard let wallet = options.wallet else { return state }
    guard state.wallet ?? wallet == wallet, try ledger.wallet(of: wallet) ?? .own == .own else {
      throw LedgerError.otherWallet
    }
    state.wallet = wallet
    return state
  }

  private func readState(of number: WalletNumber) throws -> PeerState {
    guard let newChannel = Bytes32(randomBytes(Bytes32.size)) else {
      throw LedgerError.unreadable("no random bytes")
    }
    return try ledger.readState(of: number, newChannel: newChannel, at: clock.now)
  }

  func accept(_ connection: PeerConnection) {
    do {
      try readWalletFile()
      try namePhones()
      try (connection.remote.flatMap(wallet(of:)) ?? own).accept(connection)
      connection.start()
    } catch { fail(error) }
  }

  private func wallet(of node: PublicKey) throws -> ServedWallet? {
    if node == own.runner.core.state.wallet { return own }
    return try ledger.wallet(of: node).flatMap { wallets[$0] }
  }

  // MARK: The control socket

  /// Without a payee the wallet of the phone whose socket was asked. Nil: the payee is no wallet. An LSP with one wallet
  /// leaves that to the wallet's machine, which may not know its node yet.
  func wallet(ofPayee payee: PublicKey?, for asked: ServedWallet) throws -> ServedWallet? {
    guard let payee else { return asked }
    return try wallet(of: payee) ?? (wallets.count == 1 ? own : nil)
  }

  /// The wallet that the message names by its node; without a name that of the phone whose socket was asked.
  func wallet(namedIn message: ControlMessage, for asked: ServedWallet) throws -> ServedWallet {
    guard let node = try node("wallet", message) else { return asked }
    guard let wallet = try wallet(of: node) else { throw UnknownWalletError(node: node) }
    return wallet
  }
}

struct UnknownWalletError: Error, CustomStringConvertible {
  var node: PublicKey

  var description: String {
    "no wallet of this LSP has the node id \(node.hex); `--phone` adds the wallet of another phone"
  }
}
