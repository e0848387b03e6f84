import Ground
import Guardrails
import Heartbeat
import LightningChannel
import Wallet

// The meaning of orders in another product's coordination, and its checks.
extension World {
  /// The other process's sign of life, by the wall clock.
  var observationOfOther: Observation {
    Observation(
      row: nil, holderLockIsBusy: false,
      beat: others?.coordination == .phoenix ? container.value.beats.notifier : others?.lease,
      appWantsNode: false, boot: boot, bootClock: clock.wallNow)
  }

  /// False for orders with the same meaning in every scheme, and with Baton's own.
  mutating func carryOutForOther(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard others != nil else { return false }
    switch order {
    case .look: life.answer(.observed(observationOfOther))
    case .beat(_, let phase, _): writeSign(isOver: phase == .released, life)
    case .claim: takeLease(&life)
    case .dropLock: others?.drop(by: life.role)
    // Reads the state for its node's start.
    case .readRow: readForNode(&life)
    default: return false
    }
    return true
  }

  /// The app begins or ends its background task.
  mutating func taskOfOther(isOn: Bool) {
    let task = TaskBeginning(name: Self.task, generation: 0)
    withLife(.app) { _, life in life.answer(isOn ? .taskBegan(task) : .taskEnded(task)) }
  }

  // MARK: Signs of life

  private mutating func writeSign(isOver: Bool, _ life: Life) {
    let sign = isOver ? nil : sign(of: life)
    guard others?.coordination == .phoenix else {
      others?.write(sign)
      return
    }
    // In Phoenix only the extension's beat counts; erasing removes whatever beat is there by then.
    container.value.beats.notifier = sign
    if life.role == .extension, lives.app != nil {
      presenceQueue.append(QueuedPresence(to: .app, event: .observed(Self.news)))
    }
  }

  /// Notice to the app that a beat was written; the app reads the value later.
  private static let news = Observation(
    row: nil, holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: BootID(high: 0, low: 0),
    bootClock: .zero)

  private func sign(of life: Life) -> Beat {
    Beat(
      role: life.role, epoch: 1, phase: .established, counter: 0, process: life.identity,
      bootClock: clock.wallNow,
      wallClockNanoseconds: 0)
  }

  private mutating func takeLease(_ life: inout Life) {
    let sign = sign(of: life)
    guard let taken = others?.take(sign) else { return life.answer(.claimSuperseded) }
    if taken.before != life.role { hasEffect.value = true }
    let known = taken.isFromOther ? nil : life.wallet.node.durableChannel
    life.wallet.guardrail.changeOther { $0.channelOfLease = known }
    var claim = Claim.ofOthers
    claim.incarnation = taken.before == life.role.other ? 1 : 0
    life.answer(.claimed(claim))
  }

  // MARK: The node

  /// The channel in the process's memory, if it does not read it again.
  private func channelInMemory(_ life: Life) -> Channel? {
    switch others?.coordination {
    case .phoenix? where life.role == .app: life.wallet.node.durableChannel
    case .matrix?: life.wallet.guardrail.other?.channelOfLease
    case .baton?, .phoenix?, .bitkit?, nil: nil
    }
  }

  private mutating func readForNode(_ life: inout Life) {
    var state = nodeInContainer
    if let channel = channelInMemory(life) { state.channel = channel }
    let known = state.channel
    life.wallet.guardrail.changeOther { $0.channelOfLease = known }
    life.answers.append(.claimed(.ofOthers, state))
  }

  // MARK: Checks

  /// Longer than it takes to notice a free lock and to dial.
  static let waitBound = TimeSpan.seconds(3)

  mutating func checkOthers() {
    guard violation == nil else { return }
    if drives(.app), drives(.extension) {
      let second = others?.lastToDrive ?? .app
      report(.oneDriver, "\(Self.bothRun): \(whyBothRun(second)).")
    }
    noteWaiting()
    if let waitsSince = others?.waitsSince, now - waitsSince >= Self.waitBound {
      report(.progress, "\(Self.waits): \(whyItWaits).")
    }
  }

  private static let bothRun = "Both processes run their node at the same time"
  private static let waits =
    "No process has run the node for 3 s, although the app is in front"

  /// Its node has sent `channel_reestablish` without an order to stop, and the process runs.
  private func drives(_ role: Role) -> Bool {
    guard let life = lives[role] else { return false }
    return life.part { $0.pointee.wallet.guardrail.other?.isDriving == true && !$0.pointee.isStopped }
  }

  private static let checkThenConnect =
    "the app checked before the extension's first beat, which comes only with its connection, and then connected"

  /// The process that came second; with a lease, the one that took it from the other.
  private func laterEntrant(_ second: Role) -> Role {
    let isTaker = entry(second.other) == .sawOld && others?.coordination != .phoenix
    return isTaker ? second.other : second
  }

  private func otherGuard(_ role: Role) -> OtherGuard? { lives[role]?.value.wallet.guardrail.other }
  private func entry(_ role: Role) -> Entry? { otherGuard(role)?.machine.entry }

  private func whyBothRun(_ second: Role) -> String {
    let other = laterEntrant(second).other
    let hasThawed = otherGuard(.app)?.hasThawed == true || otherGuard(.extension)?.hasThawed == true
    switch entry(other.other) {
    case .outvoted?:
      return "the app saw a fresh beat, and its votes for a connection outweigh the one against it"
    case .didNotLook? where otherGuard(.app)?.isHiddenAtWork == true:
      return
        "the app runs in the background with a task and sends no message there, so the extension connects"
    case .didNotLook?: return Self.checkThenConnect
    case .sawOld? where clock.wasStepped:
      return "the wall clock was stepped, so the \(other)'s last sign of life looked old"
    case .sawOld? where others?.coordination == .phoenix && !hasThawed:
      return
        "the app last saw an old beat, or none, and connected without seeing the extension's newer one"
    case .sawOld? where hasThawed:
      return "the \(other) was frozen until its sign of life was stale, and its node goes on after the thaw"
    case .sawOld?:
      return "the \(other)'s sign of life is never renewed, and expired while its node ran"
    case .sawNothing? where others?.coordination == .phoenix:
      return Self.checkThenConnect
    case .sawNothing? where others?.coordination.leaseTerms?.isAtomic == true: return whyLeaseIsLost(other)
    case .sawNothing?: return "both checked the lock, found it free, and then took it"
    case nil: return "for an unknown reason"
    }
  }

  /// Only one process can have taken an atomic lease; the other goes on without it.
  private func whyLeaseIsLost(_ other: Role) -> String {
    let loser = others?.lease?.role.other ?? other
    let isThawed = otherGuard(loser)?.hasThawed == true
    let moment =
      clock.wasStepped ? " when the wall clock was stepped" : isThawed ? " while it was frozen" : ""
    return "the \(loser) lost its lease\(moment), and its node goes on"
  }

  private mutating func noteWaiting() {
    let isWaiting =
      lives.app?.value.isStopped == false
      && otherGuard(.app)?.machine.isKeptWaiting == true
      && lives.notifier?.value.wallet.node.isStopped != false
    others?.waits(isWaiting, at: clock.now)
  }

  private var whyItWaits: String {
    let sign = observationOfOther.beat
    let isOfTheFuture = sign.map { $0.bootClock > clock.wallNow } ?? false
    let isThere = lives.notifier != nil
    switch others?.coordination {
    case .phoenix? where isOfTheFuture:
      return "the wall clock was set back, so the time of the extension's last beat is in the future"
    case .phoenix?:
      return
        "the extension \(isThere ? "has finished" : "is gone"), but its last beat looks fresh for 5 s"
    case .baton?, .bitkit?, .matrix?, nil: break
    }
    switch sign?.role {
    case .app?: return "a killed app left its lock, and the next app takes it for another process's lock"
    case .extension?: return "an extension that no longer runs a node still holds the lock"
    case nil: return "the app has not checked the lock again since it became free"
    }
  }
}
