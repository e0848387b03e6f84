import Ground
import Coordinator
import DaemonRuntime
import Glibc
import Guardrails
import Wallet
import SharedContainer

/// The port to the container: carries out each order on the App Group directory, and reports the result.
final class WalletContainer {
  let container: SharedContainer
  let secrets: WalletSecrets
  let clock: Clock
  private let loop: EventLoop
  let journal: Journal
  /// Carries out the guard's orders.
  private var guarded: GuardContainer<NodeState>!
  private var watchedHolder: (identity: ProcessIdentity, pidfd: Int32)?
  /// The tweak for each payment hash whose preimage the wallet may reveal: of the state's invoices and of those made
  /// since it was read.
  private var tweaks: [Bytes32: Bytes32] = [:]
  /// Why the container is lost.
  var loss: ContainerError?
  /// nil unless the app completes what its extension announces.
  let completion: (any PaymentCompletion)?

  /// As last noted.
  var unreadRecords: Int64 = 0

  var onEvent: ((WalletEvent) -> Void)?

  init(
    _ container: SharedContainer, secrets: WalletSecrets, loop: EventLoop, clock: Clock, journal: Journal,
    completion: (any PaymentCompletion)? = nil
  ) {
    self.completion = completion
    self.container = container
    self.secrets = secrets
    self.loop = loop
    self.clock = clock
    self.journal = journal
    guarded = GuardContainer(
      container, process: ProcessTable.current(boot: clock.boot),
      clock: ContainerClock(
        bootClock: { clock.bootClock }, wallNanoseconds: { clock.wallNanoseconds }),
      note: { journal.note("\($0)") },
      reading: { [unowned self] in try readState($0) })
  }

  func carryOut(_ order: ContainerOrder) {
    switch order {
    case .raiseIntent: obey(.raiseIntent)
    case .withdrawIntent: obey(.withdrawIntent)
    case .look: obey(.look)
    case .claim(let seen, let reason): obey(.claim(seen: seen, reason: reason))
    case .raiseEpoch(let claim, let known, let replaced):
      obey(.raiseEpoch(claim, above: known, replacing: replaced))
    case .readRow: obey(.readRow)
    case .beat(let epoch, let phase, let counter): obey(.beat(epoch: epoch, phase: phase, counter: counter))
    case .dropLock: obey(.dropLock)
    case .settle: obey(.settle)
    case .markReceived(let push): markReceived(push)
    case .readReceived(let payments, let push):
      report(
        guarded.readReceived(push: push) { reader in
          switch payments {
          case .of(let hash): try ReceivedPaymentTable.readSettled(paymentHash: hash, reader)
          case .after(let number): try ReceivedPaymentTable.readSettled(after: number, reader)
          }
        })
    case .checkRow: checkRow()
    case .checkAfterInit: checkAfterInit()
    case .write(let change, let claim): write(change, under: claim)
    case .readPast(let hash): readPast(hash)
    // The extension of a wallet that only notifies is a program of its own.
    case .storeIncoming(_, let push):
      say(.guardrail(.incomingNotStored(.failed("this process records no payments"), push: push)))
    case .readIncoming(let asked): readIncoming(asked)
    case .removeIncoming(let records): removeIncoming(records)
    case .lookAtWallet(let run): say(.background(.stepDone(run: run, lookAtWallet())))
    }
  }

  func releaseMemory() -> UInt64 { container.releaseMemory() }

  func say(_ event: WalletEvent) { onEvent?(event) }
  func say(_ event: GuardEvent) { onEvent?(.guardrail(event)) }
  func say(_ event: NodeEvent) { onEvent?(.node(event)) }

  func storeFailed(_ error: ContainerError) {
    guard error.isLossOfTheContainer else { return say(.storeFailed("\(error)")) }
    loss = error
    say(.storeLost("\(error)"))
  }

  private func obey(_ directive: GuardDirective) {
    guard let answer = guarded.carryOut(directive) else { return }
    watch(guarded.holderToWatch)
    report(answer)
  }

  private func report(_ answer: ContainerAnswer<NodeState>) {
    if let failure = answer.failure, failure.isLossOfTheContainer { loss = failure }
    switch (answer.event, answer.state) {
    case (.claimed(let claim)?, let state?):
      learnTweaks(state)
      say(.claimed(claim, state))
    case (let event?, _): say(event)
    case (nil, _): break
    }
  }

  /// A pidfd reports the holder's death within microseconds; its lock says what that means.
  private func watch(_ holder: ProcessIdentity?) {
    if watchedHolder?.identity == holder { return }
    forgetHolder()
    guard let holder else { return }
    do throws(SystemError) {
      guard let pidfd = try ProcessTable.openPidfd(holder, boot: clock.boot) else { return }
      watchedHolder = (holder, pidfd)
      try loop.watchProcess(pidfd) { [unowned self] in
        forgetHolder()
        say(.partnerEnded)
      }
    } catch { journal.note("the holder's end will be noticed only by an ownership check: \(error)") }
  }

  private func forgetHolder() {
    guard let pidfd = watchedHolder?.pidfd else { return }
    loop.unwatch(pidfd)
    close(pidfd)
    watchedHolder = nil
  }

  /// A mark that could not be set is ordered again when it is needed.
  private func markReceived(_ push: UInt64) {
    switch container.read({ _, reader in try ReceivedPaymentTable.newest(reader) }) {
    case .read(let newest): say(.receivedMarked(push: push, newest: newest))
    case .blocked: break
    case .failed(let error) where error.isLossOfTheContainer:
      loss = error
      say(.containerLost("\(error)"))
    case .failed(let error): journal.note("the newest payment before push \(push) cannot be read: \(error)")
    }
  }

  // MARK: Derivable preimages

  func learnTweaks(_ state: NodeState) {
    tweaks = [:]
    for invoice in state.invoices + state.accepted { tweaks[invoice.paymentHash] = invoice.tweak }
  }

  func learnTweak(of invoice: Invoice) { tweaks[invoice.paymentHash] = invoice.tweak }

  func tweak(of hash: Bytes32) -> Bytes32? { tweaks[hash] }
}
