import Ground
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import WalletStore

/// Carries out what a guard says: the container, the node, the other process, the phone.
final class GuardShell<Machine: GuardMachine> {
  private let container: SharedContainer
  private let node: NodeShell
  private let presence: PresenceLink
  private let phone: any PhoneLink
  private let loop: EventLoop
  private let clock: Clock
  private let journal: Journal
  private var runner: CoreRunner<Machine>!
  /// It does not change while the process lives; the kernel is asked once and not with every beat.
  private lazy var identity = ProcessTable.current(boot: clock.boot)
  /// Read in the claim, until the node is started with it.
  private var claimedState = NodeState()
  /// The newest payment when the push arrived.
  private var newestPayment: Int64 = 0
  private var watchedHolder: (identity: ProcessIdentity, pidfd: Int32)?
  /// What was last noted about the own lock: it is looked at with every beat, and said once.
  private var lastLockTry = LockTry.taken
  /// Why this process has no container any more.
  private(set) var loss: ContainerError?

  var onEnd: ((EndReason) -> Void)?
  /// What the person reads in the app has changed.
  var onStatus: ((Status) -> Void)?
  /// This container claims in the place of the one that the peer knows.
  var onMove: (() -> Void)?

  init(
    configuration: GuardConfiguration, container: SharedContainer, node: NodeShell, presence: PresenceLink,
    phone: any PhoneLink, loop: EventLoop, clock: Clock, journal: Journal
  ) {
    self.container = container
    self.node = node
    self.presence = presence
    self.phone = phone
    self.loop = loop
    self.clock = clock
    self.journal = journal
    runner = CoreRunner(configuration: configuration, loop: loop, clock: clock, journal: journal) {
      [unowned self] (directive: GuardDirective) in carryOut(directive)
    }
    node.onReport = { [unowned self] in handle(.node($0)) }
    node.onContainerLost = { [unowned self] in lost($0) }
    presence.onMessage = { [unowned self] in handle(.presenceHeard($0)) }
    presence.onPartnerEnded = { [unowned self] in handle(.partnerEnded) }
  }

  func handle(_ event: GuardEvent) {
    if case .pushArrived = event { rememberNewestPayment() }
    runner.handle(event)
  }

  func personCame() { node.personCame() }

  /// The node and the votes are told.
  func networkChanged(isThere: Bool) {
    node.networkChanged(isThere: isThere)
    handle(.networkChanged(isThere: isThere))
  }

  // MARK: Directives

  private func carryOut(_ directive: GuardDirective) {
    switch directive {
    case .raiseWish: setWish(true)
    case .withdrawWish: setWish(false)
    case .look: look()
    case .claim(let seen, let reason): claim(seen: seen, reason: reason)
    case .raiseEpoch(let claim, let known, let replaced):
      raiseEpoch(claim, above: known, isMove: replaced != nil)
    case .readRow: readRow()
    case .beat(let epoch, let phase, let counter): beat(epoch, phase, counter)
    case .dropLock: dropLock()
    case .readReceived(let hash): readReceived(hash)
    case .startNode(let claim, let replaced): node.start(claim, claimedState, replacing: replaced)
    case .stopNode(let gracefully): node.stop(gracefully: gracefully)
    case .acceptNoNewPayment: node.handOver()
    case .endLongPause: node.peerMayBeThere()
    case .say(let message): presence.say(message)
    case .show(let status):
      phone.show(status)
      onStatus?(status)
    case .mayConnect(let targets): phone.mayConnect(targets)
    case .deliver(let push, let outcome): phone.deliver(push, outcome)
    case .notify(let payment): phone.notify(payment)
    case .withdraw(let payment): phone.withdraw(payment: payment)
    case .finished(let push, let reason): phone.finished(push, reason)
    case .noteFailure(let sentence): journal.note("Background HTLC processing failed: \(sentence)")
    case .completed(let push, let outcome): afterSettling { $0.completed(push, outcome) }
    case .backgroundDone: phone.backgroundDone()
    case .beginBackgroundTask(let id, let name): phone.beginBackgroundTask(id, name: name)
    case .endBackgroundTask(let id): afterSettling { $0.endBackgroundTask(id) }
    case .end(let reason): onEnd?(reason)
    }
  }

  private func setWish(_ wantsNode: Bool) {
    switch container.setWish(wantsNode) {
    case .taken: break
    case .busy: journal.note("the wish lock is held by another app process; ours is only a message")
    case .damaged(let error): journal.note("the wish is only a message: \(error)")
    }
  }

  private func look() {
    switch container.look(boot: clock.boot, bootClock: clock.bootClock) {
    case .seen(let observation):
      watchHolder(observation.row)
      runner.handle(.observed(observation))
    case .blocked(let holder): runner.handle(.lookFailed(Trouble(holder)))
    case .failed(let error): failed(error) { .lookFailed($0) }
    }
  }

  private func failed(_ error: ContainerError, _ event: (Trouble) -> GuardEvent) {
    guard error.isLossOfTheContainer else { return runner.handle(event(.failed("\(error)"))) }
    loss = error
    runner.handle(event(.lost("\(error)")))
  }

  private func lost(_ error: ContainerError) {
    loss = error
    runner.handle(.containerLost("\(error)"))
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
        runner.handle(.partnerEnded)
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
      let claimant = try claimant(reason)
      answer(container.claim(seen: seen, by: claimant, reading: node.readState))
    } catch { runner.handle(.claimFailed(.failed("\(error)"))) }
  }

  private func raiseEpoch(_ claim: Claim, above known: Epoch, isMove: Bool) {
    if isMove { onMove?() }
    do throws(ContainerError) {
      let claimant = try claimant(isMove ? .movedHere : .raised)
      answer(container.raiseEpoch(under: claim, above: known, by: claimant, reading: node.readState))
    } catch { runner.handle(.claimFailed(.failed("\(error)"))) }
  }

  private func answer(_ result: ClaimResult<NodeState>) {
    switch result {
    case .claimed(let claim, let state):
      forgetHolder()
      claimedState = state
      runner.handle(.claimed(claim))
    case .superseded: runner.handle(.claimSuperseded)
    case .ownLockBusy: runner.handle(.ownLockWasBusy)
    case .blocked(let holder): runner.handle(.claimFailed(Trouble(holder)))
    case .failed(let error): failed(error) { .claimFailed($0) }
    }
  }

  // MARK: Owning

  private func readRow() {
    switch container.readRow() {
    case .row(let row): runner.handle(.rowRead(row, appWantsNode: container.appWantsNode))
    case .blocked(let holder): runner.handle(.rowReadFailed(Trouble(holder)))
    case .failed(let error): failed(error) { .rowReadFailed($0) }
    }
  }

  private func dropLock() {
    container.releaseRoleLock()
    settle()
  }

  /// The log is brought into the database when nobody waits for it: not before everything else of this moment is done.
  private func settle() { loop.post { [weak self] in self?.container.settle() } }

  /// The phone may stop this process as soon as it hears this, and who is stopped in the middle of bringing the log into
  /// the database holds a lock: so what was put off comes first.
  private func afterSettling(_ say: @escaping (any PhoneLink) -> Void) {
    loop.post { [weak self] in
      guard let self else { return }
      say(phone)
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
      role: Machine.role, epoch: epoch, phase: phase, counter: counter,
      process: identity, bootClock: clock.bootClock,
      wallClockNanoseconds: clock.wallNanoseconds)
    if case .failed(let error) = container.write(beat) { journal.note("no beat was written: \(error)") }
    if phase == .established { settle() }
  }

  // MARK: What was received

  private func rememberNewestPayment() {
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
    if case .read(let payments) = result { runner.handle(.receivedFound(payments)) }
  }
}

extension Trouble {
  init(_ holder: BlockedBy?) { self = .blocked(pid: holder?.pid, isStopped: holder?.isStopped ?? false) }
}
