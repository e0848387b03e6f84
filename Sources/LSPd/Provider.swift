import Ground
import Crypto
import DaemonRuntime
import Glibc
import HTTPServer
import Bitcoin
import LightningWire
import LightningProvider
import PeerTransport

/// The LSP's shell: sockets, ledger and control around `PeerMachine`. It makes no decisions.
final class Provider {
  /// The time limit for a disconnected connection to send its last bytes.
  private static let drainWithin = TimeSpan.seconds(1)

  let options: ProviderOptions
  let loop: EventLoop
  let clock: Clock
  let journal: Journal
  let ledger: Ledger
  let key: PrivateKey
  private(set) var runner: CoreRunner<PeerMachine>!
  private var pushes: PushSender!
  private var listener: PeerListener?
  var http: HTTPServer?
  var accessLog: AccessLog?
  private var connections: [UInt64: PeerConnection] = [:]
  /// Frames whose events the core has not handled yet: each event gives exactly one change about its frame.
  private var unwritten: [LedgerStep.FrameBytes] = []
  private var nextConnection: UInt64
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
    let now = clock.now
    try ledger.beginRun(
      at: now, wallNanoseconds: clock.wallNanoseconds, isLegacy: options.isLegacy,
      storageDelay: options.storageDelay, pushStrategy: options.pushStrategy)
    guard let newChannel = Bytes32(randomBytes(Bytes32.size)) else {
      throw LedgerError.unreadable("no random bytes")
    }
    var state = try ledger.readState(newChannel: newChannel, at: now)
    if let wallet = options.wallet {
      guard state.wallet ?? wallet == wallet else { throw LedgerError.otherWallet }
      state.wallet = wallet
    }
    nextConnection = try ledger.nextConnection()
    nextPayment = try ledger.nextPayment()
    runner = CoreRunner(
      configuration: .init(
        isLegacy: options.isLegacy, externalDelay: options.externalDelay, rules: options.rules,
        fundingKey: options.splices ? CurvePoint(key.publicKey) : nil, spliceDelay: options.spliceDelay,
        storageDelay: options.storageDelay, startedAt: now, state: state,
        awaitsWallet: options.walletFile != nil && options.wallet == nil, pushStrategy: options.pushStrategy),
      loop: loop, clock: clock, journal: journal
    ) { [unowned self] (directives: [PeerDirective]) in carryOut(directives) }
    let extraBody: ((PushRequest) -> String)? =
      options.sendsSilentPushes ? { PhoenixPush.silentBody(of: $0) } : nil
    pushes = PushSender(
      path: options.phoneSocket, loop: loop, ledger: ledger, body: { [unowned self] in body(of: $0) },
      extraBody: extraBody,
      isWanted: { [unowned self] in runner.core.wants($0) },
      onLedgerFailure: { [unowned self] in fail($0) })
    pushes.resume(
      try ledger.readOpenPushes().map { PushSender.Open(id: $0.id, request: $0.request) })
  }

  // MARK: Connections

  /// Listens on the last run's address, so that wallets find it again; on another port if that one is taken.
  func listen() throws(SystemError) {
    let file = AddressFile(path: options.address)
    let last = file.read()
    let listener: PeerListener
    if let wanted = options.listen {
      listener = try makeListener(wanted)
    } else if let last, let again = try? makeListener(last.place) {
      listener = again
    } else if let any = HostAndPort("127.0.0.1:0") {
      listener = try makeListener(any)
    } else {
      throw SystemError("listen", code: EINVAL)
    }
    self.listener = listener
    let address = PeerAddress(node: key.publicKey, place: listener.address)
    try file.write(address)
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

  private func accept(_ connection: PeerConnection) {
    readWalletFile()
    guard !runner.core.rejects(connection.remote, at: clock.now) else { return connection.cutOff() }
    let id = nextConnection
    connections[id] = connection
    connection.onMessage = { [unowned self] in received($0, from: id) }
    connection.onEnd = { [unowned self] in ended(id, $0.description) }
    runner.handle(.connected(connection: id, node: connection.remote))
    connection.start()
  }

  private func readWalletFile() {
    guard let file = options.walletFile, runner.core.mayBeNamedAnew else { return }
    if let node = NodeIDFile.read(file) {
      if runner.core.state.wallet != node { runner.handle(.walletNamed(node)) }
    } else if runner.core.lacksWallet, !hasReportedMissingWallet {
      hasReportedMissingWallet = true
      printLine(
        "lspd: a node has connected, and \(file) does not have the wallet's node id yet; until it has, no node gets the channel. For a wallet that does not write the file, start lspd without --wallet-file"
      )
    }
  }

  private func received(_ bytes: [UInt8], from id: UInt64) {
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
    loop.after(Self.drainWithin) { [weak self] in self?.cutOff(id, why) }
  }

  // MARK: Directives

  /// First the durable changes, in one transaction; then the other directives, in order.
  private func carryOut(_ directives: [PeerDirective]) {
    var step = LedgerStep(at: runner.instant, wallNanoseconds: clock.wallNanoseconds)
    for directive in directives {
      switch directive {
      case .store(let changes):
        step.changes += changes
        // A connection that is evicted at once has no row, and its number is used again.
        for case .connectionOpened(let connection, _) in changes { nextConnection = connection + 1 }
        if changes.contains(where: \.isAboutFrame), !unwritten.isEmpty {
          step.incoming = unwritten.removeFirst()
        }
      case .send(let connection, let message):
        step.outgoing.append(.init(connection: connection, bytes: message.encoded()))
      case .requestPush(let request): step.pushes.append(request)
      case .close, .evict, .answer: break
      }
    }
    if step.isOpeningAlone {
      // Our init does not depend on the ledger.
      carryOut(directives, sending: step.outgoing, pushing: [])
      return postpone(step)
    }
    do {
      let pushIDs = try commit(step)
      carryOut(directives, sending: step.outgoing, pushing: pushIDs)
    } catch { fail(error) }
  }

  /// Writes an opened connection together with its first messages of the same turn: the wallet waits for one durable
  /// write instead of two.
  private func postpone(_ step: LedgerStep) {
    postponed.append(step)
    loop.post { [weak self] in
      do { _ = try self?.commit(nil) } catch { self?.fail(error) }
    }
  }

  private func commit(_ step: LedgerStep?) throws -> [Int64] {
    let steps = postponed + (step.map { $0.isEmpty ? [] : [$0] } ?? [])
    guard !steps.isEmpty else { return [] }
    let ids = try ledger.commit(steps)
    postponed = []
    return ids
  }

  private func carryOut(
    _ directives: [PeerDirective], sending frames: [LedgerStep.FrameBytes], pushing ids: [Int64]
  ) {
    var frames = frames[...]
    var ids = ids[...]
    var requested: [PushSender.Open] = []
    for directive in directives {
      switch directive {
      case .store: break
      case .send(let connection, _):
        if let frame = frames.popFirst() { connections[connection]?.send(frame.bytes) }
      case .close(let connection, let why): hangUp(connection, why)
      case .evict(let connection, let why): cutOff(connection, why)
      case .requestPush(let request):
        if let id = ids.popFirst() { requested.append(.init(id: id, request: request)) }
      case .answer(let payment, let outcome): answer(payment, outcome)
      }
    }
    // Together, so that they keep their order on the way. They wait for nothing that follows them.
    if !requested.isEmpty { pushes.send(requested) }
  }

  private func body(of push: PushRequest) -> String {
    switch options.pushStrategy {
    case .phoenix: PhoenixPush.body(of: push)
    case .bitkit:
      BitkitPush(
        push, key: runner.core.state.pushKey, sealsSilent: options.sealsSilentPush, now: clock.now,
        wallNanoseconds: clock.wallNanoseconds
      ).text
    }
  }

  /// Exits: a decision that the ledger cannot store must not be sent, and only a restart goes back to the stored
  /// state.
  func fail(_ error: any Error) {
    journal.recordEnd(reason: "\(error)")
    exitWithSentence(.inputOutputError, "\(error)")
  }

  /// Disconnects and ends. Nothing is lost, as the state is durable already.
  func goDown(_ reason: String) {
    guard !isGoingDown else { return }
    isGoingDown = true
    listener = nil
    http = nil
    for id in connections.keys.sorted() { hangUp(id, reason) }
    endWhenDrained(reason)
  }

  private func endWhenDrained(_ reason: String) {
    guard connections.isEmpty else {
      loop.after(.milliseconds(10)) { [weak self] in self?.endWhenDrained(reason) }
      return
    }
    journal.recordEnd(reason: reason)
    loop.stop()
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
