import Ground
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import Wallet
import WalletStore

/// The port to the container: carries out each order on the App Group directory, and says what came of it.
final class WalletContainer {
  let container: SharedContainer
  let secrets: WalletSecrets
  let clock: Clock
  private let role: Role
  private let loop: EventLoop
  let journal: Journal
  /// It does not change while the process lives; the kernel is asked once and not with every beat.
  private lazy var identity = ProcessTable.current(boot: clock.boot)
  /// The newest payment when the push arrived.
  private var newestPayment: Int64 = 0
  private var watchedHolder: (identity: ProcessIdentity, pidfd: Int32)?
  /// What was last noted about the own lock: it is looked at with every beat, and said once.
  private var lastLockTry = LockTry.taken
  /// What the peer may ask us to reveal: which tweak gives the preimage of which hash. Those that the state had when it was
  /// read; what came with a backup since then is read when it is asked for.
  private var tweaks: [Bytes32: Bytes32] = [:]
  /// Why this process has no container any more.
  private(set) var loss: ContainerError?

  var onEvent: ((WalletEvent) -> Void)?

  init(
    _ container: SharedContainer, role: Role, secrets: WalletSecrets, loop: EventLoop, clock: Clock,
    journal: Journal
  ) {
    self.container = container
    self.role = role
    self.secrets = secrets
    self.loop = loop
    self.clock = clock
    self.journal = journal
  }

  func carryOut(_ order: ContainerOrder) {
    switch order {
    case .raiseWish: setWish(true)
    case .withdrawWish: setWish(false)
    case .look: look()
    case .claim(let seen, let reason): claim(seen: seen, reason: reason)
    case .raiseEpoch(let claim, let known, let isMove): raiseEpoch(claim, above: known, isMove: isMove)
    case .readRow: readRow()
    case .beat(let epoch, let phase, let counter): beat(epoch, phase, counter)
    case .dropLock: container.releaseRoleLock()
    case .settle: container.settle()
    case .markReceived: markReceived()
    case .readReceived(let hash): readReceived(hash)
    case .checkRow: checkRow()
    case .checkGreeting: checkGreeting()
    case .write(let change, let claim): write(change, under: claim)
    case .readPast(let hash): readPast(hash)
    case .lookAtWallet(let run): say(.background(.stepDone(run: run, lookAtWallet())))
    }
  }

  func releaseMemory() -> UInt64 { container.releaseMemory() }

  func say(_ event: WalletEvent) { onEvent?(event) }
  func say(_ event: GuardEvent) { onEvent?(.guardrail(event)) }
  func say(_ event: NodeEvent) { onEvent?(.node(event)) }

  /// What it means: a failure of this moment, or that this process can never use the container again.
  private func trouble(_ error: ContainerError) -> Trouble {
    guard error.isLossOfTheContainer else { return .failed("\(error)") }
    loss = error
    return .lost("\(error)")
  }

  func storeFailed(_ error: ContainerError) {
    switch trouble(error) {
    case .lost(let sentence): say(.storeLost(sentence))
    case .failed(let sentence): say(.storeFailed(sentence))
    case .blocked: say(.storeBlocked)
    }
  }

  private func setWish(_ wantsNode: Bool) {
    switch container.setWish(wantsNode) {
    case .taken: break
    case .busy: journal.note("the wish lock is held by another app process; ours is only a message")
    case .damaged(let error): journal.note("the wish is only a message: \(error)")
    }
  }

  // MARK: Looking

  private func look() {
    switch container.look(boot: clock.boot, bootClock: clock.bootClock) {
    case .seen(let observation):
      watchHolder(observation.row)
      say(.observed(observation))
    case .blocked(let holder): say(.lookFailed(Trouble(holder)))
    case .failed(let error): say(.lookFailed(trouble(error)))
    }
  }

  /// A pidfd tells of the holder's death within microseconds; what its death means is read from its lock.
  private func watchHolder(_ row: ClaimRow?) {
    guard let holder = row?.process, holder.pid != getpid() else { return forgetHolder() }
    if watchedHolder?.identity == holder { return }
    forgetHolder()
    do throws(SystemError) {
      guard let pidfd = try ProcessTable.openPidfd(holder, boot: clock.boot) else { return }
      watchedHolder = (holder, pidfd)
      try loop.watchProcess(pidfd) { [unowned self] in
        forgetHolder()
        say(.partnerEnded)
      }
    } catch { journal.note("the holder's end is only noticed by looking: \(error)") }
  }

  private func forgetHolder() {
    guard let pidfd = watchedHolder?.pidfd else { return }
    loop.unwatch(pidfd)
    close(pidfd)
    watchedHolder = nil
  }

  // MARK: Claiming

  private func claimant(_ reason: ClaimReason) throws(ContainerError) -> Claimant {
    Claimant(
      process: identity, incarnation: try SharedContainer.newIncarnation(),
      reason: reason.rawValue, bootClock: clock.bootClock, wallClockNanoseconds: clock.wallNanoseconds)
  }

  private func claim(seen: Epoch, reason: ClaimReason) {
    do throws(ContainerError) {
      answer(container.claim(seen: seen, by: try claimant(reason), reading: readState))
    } catch { say(.claimFailed(trouble(error))) }
  }

  private func raiseEpoch(_ claim: Claim, above known: Epoch, isMove: Bool) {
    do throws(ContainerError) {
      let claimant = try claimant(isMove ? .movedHere : .raised)
      answer(container.raiseEpoch(under: claim, above: known, by: claimant, reading: readState))
    } catch { say(.claimFailed(trouble(error))) }
  }

  private func answer(_ result: ClaimResult<NodeState>) {
    switch result {
    case .claimed(let claim, let state):
      forgetHolder()
      learnTweaks(state)
      say(.claimed(claim, state))
    case .superseded: say(.claimSuperseded)
    case .ownLockBusy: say(.ownLockWasBusy)
    case .blocked(let holder): say(.claimFailed(Trouble(holder)))
    case .failed(let error): say(.claimFailed(trouble(error)))
    }
  }

  // MARK: Owning

  private func readRow() {
    switch container.readRow() {
    case .row(let row): say(.rowRead(row, appWantsNode: container.appWantsNode))
    case .blocked(let holder): say(.rowReadFailed(Trouble(holder)))
    case .failed(let error): say(.rowReadFailed(trouble(error)))
    }
  }

  private func keepRoleLock() {
    let lockTry = container.keepRoleLock()
    defer { lastLockTry = lockTry }
    guard lockTry != lastLockTry else { return }
    switch lockTry {
    case .taken: journal.note("the role lock guards again")
    case .busy: journal.note("the role lock is held by another process; this one may look dead")
    case .damaged(let error): journal.note("the other process cannot see that this one lives: \(error)")
    }
  }

  private func beat(_ epoch: Epoch, _ phase: Phase, _ counter: UInt64) {
    if phase != .released { keepRoleLock() }
    let beat = Beat(
      role: role, epoch: epoch, phase: phase, counter: counter,
      process: identity, bootClock: clock.bootClock, wallClockNanoseconds: clock.wallNanoseconds)
    if case .failed(let error) = container.write(beat) { journal.note("no beat was written: \(error)") }
  }

  // MARK: What was received

  private func markReceived() {
    if case .read(let newest) = container.read({ _, reader in try ReceivedPaymentTable.newest(reader) }) {
      newestPayment = newest
    }
  }

  private func readReceived(_ hash: Bytes32?) {
    let result = container.read { _, reader in
      if let hash {
        return try ReceivedPaymentTable.readSettled(paymentHash: hash, reader)
      }
      return try ReceivedPaymentTable.readSettled(after: newestPayment, reader)
    }
    if case .read(let payments) = result { say(.receivedFound(payments)) }
  }

  // MARK: Which preimages can be derived

  func learnTweaks(_ state: NodeState) {
    tweaks = [:]
    for invoice in state.invoices + state.accepted { tweaks[invoice.paymentHash] = invoice.tweak }
  }

  func learnTweak(of invoice: Invoice) { tweaks[invoice.paymentHash] = invoice.tweak }

  /// A backup that was adopted on this connection may tell of a payment whose preimage the peer has not taken.
  func tweak(of hash: Bytes32) -> Bytes32? {
    if let known = tweaks[hash] { return known }
    let result = container.read { _, reader in try InvoiceTable.tweak(of: hash, reader) }
    guard case .read(let tweak) = result else { return nil }
    return tweak
  }
}

extension Trouble {
  init(_ holder: BlockedBy?) { self = .blocked(pid: holder?.pid, isStopped: holder?.isStopped ?? false) }
}
