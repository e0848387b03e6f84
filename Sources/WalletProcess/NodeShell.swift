import Ground
import DaemonRuntime
import Guardrails
import Lightning
import PeerTransport
import SharedContainer
import Wallet
import WalletStore

/// Carries out what the node says: the container and the wire.
final class NodeShell {
  private let container: SharedContainer
  private let secrets: WalletSecrets
  private let loop: EventLoop
  private let clock: Clock
  private let journal: Journal
  private let peer: PeerAddress?
  private var runner: CoreRunner<NodeMachine>!
  private var connection: PeerConnection?
  /// Grows with every start. What the node said in an earlier life is not told in a later one.
  private var life: UInt64 = 0
  /// What the peer may ask us to reveal: which tweak gives the preimage of which hash. Those that the state had when it was
  /// read; what came with a backup since then is read when it is asked for.
  private var tweaks: [Bytes32: Bytes32] = [:]

  var onReport: ((NodeReport) -> Void)?
  /// This process can never use the container again.
  var onContainerLost: ((ContainerError) -> Void)?
  var onInvoiceStored: ((Bytes32) -> Void)?
  var onInvoiceRefused: ((Bytes32, String) -> Void)?
  var onPayment: ((PaymentNews) -> Void)?
  var onSplice: ((SpliceNews) -> Void)?

  init(
    container: SharedContainer, secrets: WalletSecrets, loop: EventLoop, clock: Clock, journal: Journal,
    peer: PeerAddress?, configuration: NodeMachine.Configuration = .init()
  ) {
    self.container = container
    self.secrets = secrets
    self.loop = loop
    self.clock = clock
    self.journal = journal
    self.peer = peer
    runner = CoreRunner(
      configuration: configuration, loop: loop, clock: clock, journal: journal
    ) { [unowned self] (directive: NodeDirective) in carryOut(directive) }
  }

  // MARK: Asked by the guard

  /// What the claim, and the check after the greeting, read.
  func readState(_ reader: NodeReader) throws -> NodeState {
    var state = try WalletStore.readState(reader, at: bootMoment)
    try secrets.check(state)
    secrets.complete(&state.invoices)
    secrets.complete(&state.accepted)
    return state
  }

  private var bootMoment: BootMoment { BootMoment(boot: clock.boot, clock: clock.bootClock) }

  func start(_ claim: Claim, _ state: NodeState, replacing replaced: ReplacedClaim? = nil) {
    life &+= 1
    learnTweaks(state)
    tell { $0.onPayment?(.started(pending: state.payments.pending.map(\.paymentHash))) }
    tell { $0.onSplice?(.started(pending: state.channel?.pendingSplice?.id)) }
    runner.handle(.started(claim, state, replacing: replaced))
  }

  /// The socket is closed when an abrupt stop returns: the guard drops its lock next.
  func stop(gracefully: Bool) {
    if !gracefully { cutOff() }
    runner.handle(.stopRequested(gracefully: gracefully))
  }

  func networkChanged(isThere: Bool) { runner.handle(.networkChanged(isThere: isThere)) }

  func personCame() { runner.handle(.personCame) }

  func peerMayBeThere() { runner.handle(.peerMayBeThere) }

  func handOver() { runner.handle(.handoverRequested) }

  func store(_ invoice: Invoice) { runner.handle(.invoiceMade(invoice)) }

  /// What is over is looked up now, and stays so until the node has heard: its events are handled one after the other.
  func pay(_ payment: OutgoingPayment) {
    let hash = payment.paymentHash
    guard !runner.core.isStopped else { return runner.handle(.payRequested(payment)) }
    switch container.read({ _, reader in try OutgoingPaymentTable.past(hash, reader) }) {
    case .read(let past): runner.handle(.payRequested(payment, past: past))
    case .blocked: refuse(hash, "the wallet's database is in use, and nothing left; try again")
    case .failed(let error):
      refuse(hash, "\(error)")
      if error.isLossOfTheContainer { tell { $0.onContainerLost?(error) } }
    }
  }

  func splice(_ request: SpliceRequest) { runner.handle(.spliceRequested(request)) }

  private func refuse(_ payment: Bytes32, _ sentence: String) {
    tell { $0.onPayment?(.refused(payment, sentence)) }
  }

  // MARK: Directives

  private func carryOut(_ directive: NodeDirective) {
    switch directive {
    case .checkRow: checkRow()
    case .checkGreeting: checkGreeting()
    case .write(let change, let claim): write(change, under: claim)
    case .dial: dial()
    case .send(let messages): for message in messages { send(message) }
    case .hangUp: hangUp()
    case .cutOff: cutOff()
    case .report(let news): report(NodeReport(news))
    case .invoiceStored(let hash): tell { $0.onInvoiceStored?(hash) }
    case .invoiceRefused(let hash, let sentence): tell { $0.onInvoiceRefused?(hash, sentence) }
    case .paymentOffered(let hash): tell { $0.onPayment?(.offered(hash)) }
    case .paymentRefused(let hash, let sentence): tell { $0.onPayment?(.refused(hash, sentence)) }
    case .paymentEnded(let ended): tell { $0.onPayment?(.ended(ended.payment.paymentHash)) }
    case .spliceBegun(let splice): tell { $0.onSplice?(.begun(splice)) }
    case .spliceRefused(let sentence): tell { $0.onSplice?(.refused(sentence)) }
    case .spliceEnded(let id, let end): tell { $0.onSplice?(.ended(id, end)) }
    }
  }

  /// Told when all that the node decided is done. A report makes the guard beat, the beat reads the row, and the row
  /// may be another owner's by now: the node is then stopped, and perhaps started under a new claim. What is left of
  /// a list that was decided under the old claim would pass the fence of the new one and put old state over newer.
  private func tell(_ news: @escaping (NodeShell) -> Void) {
    loop.post { [unowned self] in news(self) }
  }

  private func report(_ report: NodeReport) {
    let spokenIn = life
    tell { if spokenIn == $0.life { $0.onReport?(report) } }
  }

  private func checkRow() {
    switch container.readRow() {
    case .row(let row): runner.handle(.rowRead(row))
    case .blocked: runner.handle(.storeBlocked)
    case .failed(let error): storeFailed(error)
    }
  }

  private func checkGreeting() {
    let result = container.read { row, reader in (row, try self.readState(reader)) }
    switch result {
    case .read((let row, let state)):
      learnTweaks(state)
      runner.handle(.greetingChecked(row, state))
    case .blocked: runner.handle(.storeBlocked)
    case .failed(let error): storeFailed(error)
    }
  }

  private func write(_ change: NodeChange, under claim: Claim) {
    let result = container.fencedWrite(
      under: claim, what: WalletStore.summary(of: change), atMonotonic: clock.now
    ) { writer in
      try WalletStore.apply(
        change, epoch: claim.epoch, wallClockNanoseconds: clock.wallNanoseconds, at: bootMoment, to: writer)
    }
    switch result {
    case .written:
      if let invoice = change.newInvoice { tweaks[invoice.paymentHash] = invoice.tweak }
      runner.handle(.written)
    case .fenced: runner.handle(.fenced)
    case .blocked: runner.handle(.storeBlocked)
    case .failed(let error): storeFailed(error)
    }
  }

  private func storeFailed(_ error: ContainerError) {
    runner.handle(.storeFailed("\(error)"))
    if error.isLossOfTheContainer { tell { $0.onContainerLost?(error) } }
  }

  private func learnTweaks(_ state: NodeState) {
    tweaks = [:]
    for invoice in state.invoices + state.accepted { tweaks[invoice.paymentHash] = invoice.tweak }
  }

  // MARK: The wire

  private func dial() {
    guard let peer else {
      return runner.handle(.closed("no peer is known: start this with --peer NODEID@HOST:PORT"))
    }
    do throws(SystemError) {
      let connection = try PeerConnection.dial(peer, as: secrets.nodeKey, loop: loop)
      self.connection = connection
      connection.onConnected = { [unowned self] in runner.handle(.dialled) }
      connection.onMessage = { [unowned self] in received($0) }
      connection.onEnd = { [unowned self] end in
        self.connection = nil
        runner.handle(.closed("\(end)"))
      }
      connection.start()
    } catch { runner.handle(.closed("\(error)")) }
  }

  private func received(_ bytes: [UInt8]) {
    do throws(WireError) {
      switch try HeardMessage(bytes).message {
      // Opened here: the core never sees what only the seed can read in any other form than the state itself.
      case .peerStorageRetrieval(let blob): runner.handle(.backupReceived(secrets.open(blob.array)))
      case let message: runner.handle(.received(message))
      }
    } catch {
      cutOff()
      runner.handle(.closed("the peer sent what is no message: \(error)"))
    }
  }

  private func send(_ outgoing: NodeOutgoing) {
    switch outgoing {
    case .message(let message), .channel(.message(let message)): send(message)
    case .backup(let backup): send(.peerStorage(Bytes(secrets.seal(backup))))
    case .channel(.fulfill(let id, let hash)): reveal(hash, of: id)
    }
  }

  /// The one place where a preimage leaves: by now its settlement is durable.
  private func reveal(_ hash: Bytes32, of id: UInt64) {
    guard let channel = runner.core.durableChannel, let tweak = tweaks[hash] ?? readTweak(hash) else {
      journal.note("the preimage of \(hash) cannot be derived: its invoice is not in the container")
      // Of a backup from before accepted invoices were in it. The commitment that would follow is of a channel whose peer has heard the preimage: sent alone it fails the channel.
      cutOff()
      return runner.handle(.closed("the preimage of an accepted payment cannot be derived"))
    }
    send(channel.fulfilMessage(id, preimage: secrets.preimage(tweak: tweak)))
  }

  /// A backup that was adopted on this connection may tell of a payment whose preimage the peer has not taken.
  private func readTweak(_ hash: Bytes32) -> Bytes32? {
    let result = container.read { _, reader in try InvoiceTable.tweak(of: hash, reader) }
    guard case .read(let tweak) = result else { return nil }
    return tweak
  }

  private func send(_ message: Message) { connection?.send(message.encoded()) }

  private func hangUp() {
    guard let connection else { return runner.handle(.closed("there was no connection")) }
    connection.hangUp()
  }

  private func cutOff() {
    connection?.cutOff()
    connection = nil
  }
}
