import Ground
import Guardrails
import Heartbeat
import LightningChannel
import Wallet

// The meaning of orders in another product's coordination, and its checks.
extension World {
  /// The other process's sign of life, by the wall clock.
  func observationOfOther(by role: Role) -> Observation {
    Observation(
      row: nil, holderLockIsBusy: false, beat: signOfOther(by: role), appWantsNode: false, boot: boot,
      bootClock: clock.wallNow)
  }

  private func signOfOther(by role: Role) -> Beat? {
    switch others?.coordination.scheme {
    case .votes?: container.value.beats.notifier
    case .lease(let terms)? where terms.form == .signs: container.value.beats[role.other]
    case .lease?, .claims?, nil: others?.lease
    }
  }

  /// When the present sign of life, if it is not renewed, will be too old: nothing else may happen until then.
  var nextExpiry: Instant? {
    guard let terms = others?.coordination.leaseTerms else { return nil }
    let sign = terms.form == .signs ? container.part { $0.pointee.beats.app } : others?.lease
    guard let sign, let span = terms.holds(sign.role) else { return nil }
    return now + (sign.bootClock + span + .milliseconds(2) - clock.wallNow)
  }

  /// False for orders with the same meaning in every scheme, and with Baton's own.
  mutating func carryOutForOther(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard others != nil else { return false }
    switch order {
    case .look: life.answer(.observed(observationOfOther(by: life.role)))
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
    switch others?.coordination.scheme {
    case .votes(let seesBeats)?:
      // Only the extension's beat counts; erasing removes whatever beat is there by then.
      container.value.beats.notifier = sign
      if seesBeats, life.role == .extension, lives.app != nil {
        presenceQueue.append(QueuedPresence(to: .app, event: .observed(Self.news)))
      }
    case .lease(let terms)? where terms.form == .signs: container.value.beats[life.role] = sign
    case .lease?, .claims?, nil: others?.write(sign)
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
    switch others?.coordination.scheme {
    case .votes? where life.role == .app: return life.wallet.node.durableChannel
    case .lease(let terms)?:
      switch terms.state {
      case .readAnew: return nil
      case .readIfOtherHeld: return life.wallet.guardrail.other?.channelOfLease
      case .kept: return life.wallet.node.durableChannel
      }
    case .votes?, .claims?, nil: return nil
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
    for role in [Role.app, .extension] where otherGuard(role)?.isBehindPeer == true {
      report(
        .channelNeverBack,
        "The \(role) connects with an older channel state than the peer's: it sends nothing, and a real channel is force-closed."
      )
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
    let isTaker = entry(second.other) == .sawOld && others?.coordination.hasVotes == false
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
    case .insisted?: return "after 30 s the app no longer waits, although the extension's flag is set"
    case _ where others?.coordination == .phoenixBefore776:
      return "the app does not notice the extension's beats"
    case .sawOld? where others?.coordination.hasVotes == true && !hasThawed:
      return
        "the app last saw an old beat, or none, and connected without seeing the extension's newer one"
    case .sawOld? where hasThawed:
      return "the \(other) was frozen until its sign of life was stale, and its node goes on after the thaw"
    case .sawOld?:
      return "the \(other)'s sign of life is never renewed, and expired while its node ran"
    case .sawNothing? where others?.coordination.hasVotes == true: return Self.checkThenConnect
    case .sawNothing? where others?.coordination.leaseTerms?.form == .signs:
      return
        "each looked before the other's sign was there: the app's first beat comes after its node's start"
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
    let sign = observationOfOther(by: .app).beat
    let isOfTheFuture = sign.map { $0.bootClock > clock.wallNow } ?? false
    let isThere = lives.notifier != nil
    switch others?.coordination.scheme {
    case .votes? where isOfTheFuture:
      return "the wall clock was set back, so the time of the extension's last beat is in the future"
    case .votes(seesBeats: false)? where otherGuard(.app)?.machine.deadline == nil:
      return "it saw the extension's beat at its start, and none of the later ones"
    case .votes?:
      return
        "the extension \(isThere ? "has finished" : "is gone"), but its last beat looks fresh for 5 s"
    case .lease(let terms)? where terms.form == .signs: return "a killed extension has left its flag"
    case .lease?, .claims?, nil: break
    }
    return sign?.role == .extension
      ? "an extension that no longer runs a node still holds the lock"
      : "the app has not checked the lock again since it became free"
  }

  /// Why no process has received a payment while the user stayed away; empty for Baton's own.
  var whyNotReceived: String {
    guard let others else { return "" }
    if others.coordination.leaseTerms?.extensionRunsNode == false {
      return ": the extension only notifies the user"
    }
    guard others.lease?.role == .app, lives.app?.value.isSuspended == true else { return "" }
    return ": the suspended app holds the lock, and the extension waits for it until its time is over"
  }
}
