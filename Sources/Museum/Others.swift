import Ground
import Guardrails
import Heartbeat
import Lightning
import Simulation
import Wallet

/// Another product's coordination in a world, which has no row, epochs or fence.
struct Others: Exclusion {
  enum Scheme {
    /// `seesBeats`: the app notices each beat of the extension.
    case votes(seesBeats: Bool)
    case lease(LeaseTerms)
  }

  let coordination: Coordination
  /// The lock with its date. Signs of each process's own, like Phoenix's beat, are in the container, like ours.
  private var lease: Beat?
  /// The last holder, which its next holder learns.
  private var lastLeaseholder: Role?
  /// The process that sent the last `channel_reestablish`.
  private var lastToDrive: Role?
  /// Since when the app is in front while no process runs its node.
  private var waitsSince: Instant?

  /// Nil for Baton's own.
  init?(_ coordination: Coordination) {
    guard coordination != .baton else { return nil }
    self.coordination = coordination
  }

  private var terms: LeaseTerms? { if case .lease(let terms)? = coordination.scheme { terms } else { nil } }
  private var hasVotes: Bool { terms == nil }

  func guardrail(of role: Role) -> any ExclusionGuard {
    switch (coordination.scheme, role) {
    case (.lease(let terms)?, .app): LeaseApp(terms)
    case (.lease(let terms)?, .extension): LeaseExtension(terms)
    case (.votes(let seesBeats)?, .app): PhoenixApp(seesBeats: seesBeats)
    case (.votes?, .extension), (nil, _): PhoenixExtension()
    }
  }

  // MARK: Orders

  mutating func carryOut(_ order: ContainerOrder, _ life: inout Life, in world: inout World) -> Bool {
    switch order {
    case .guardrail(.look):
      life.answer(
        .observed(
          Observation(
            row: nil, holderLockIsBusy: false, beat: sign(seenBy: life.role, in: world),
            appWantsNode: false, boot: world.boot, bootClock: world.clock.wallNow)))
    case .guardrail(.beat(_, let phase, _)): write(isOver: phase == .released, life, in: &world)
    case .guardrail(.claim): take(&life, in: &world)
    case .guardrail(.dropLock): drop(by: life.role)
    case .guardrail(.readRow): readForNode(&life, in: world)
    case .checkRow: life.answer(.rowRead(world.rowOfItsOwn(life)))
    default: return false
    }
    return true
  }

  /// The other process's sign of life, by the wall clock.
  private func sign(seenBy role: Role, in world: World) -> Beat? {
    guard let terms else { return world.container.value.beats.notifier }
    return terms.form == .signs ? world.container.value.beats[role.other] : lease
  }

  private mutating func write(isOver: Bool, _ life: Life, in world: inout World) {
    let sign = isOver ? nil : sign(of: life, in: world)
    switch coordination.scheme {
    case .votes(let seesBeats)?:
      // Only the extension's beat counts; erasing removes whatever beat is there by then.
      world.container.value.beats.notifier = sign
      if seesBeats, life.role == .extension { world.announceWrite(to: .app) }
    case .lease(let terms)? where terms.form == .signs: world.container.value.beats[life.role] = sign
    // Without a read.
    case .lease?, nil: lease = sign
    }
  }

  private func sign(of life: Life, in world: World) -> Beat {
    Beat(
      role: life.role, epoch: 1, phase: .established, counter: 0, process: life.identity,
      bootClock: world.clock.wallNow, wallClockNanoseconds: 0)
  }

  /// One SQL statement: takes the lease if it is free, expired, or the process's own.
  private mutating func take(_ life: inout Life, in world: inout World) {
    let (role, before) = (life.role, lease?.role)
    if let lease, lease.role == role.other {
      guard let span = terms?.holds(role.other), world.clock.wallNow - lease.bootClock > span else {
        return life.answer(.claimSuperseded)
      }
      // The real row counts the changes of the holder; here only whether there was one.
      lastLeaseholder = role.other
    }
    let known = lastLeaseholder == role ? life.wallet.node.durableChannel : nil
    life.side?.notes.channelOfLease = known
    (lease, lastLeaseholder) = (sign(of: life, in: world), role)
    if before != role { world.hasEffect.value = true }
    var claim = Claim.ofOthers
    claim.incarnation = before == role.other ? 1 : 0
    life.answer(.claimed(claim))
  }

  private mutating func drop(by role: Role) { if lease?.role == role { lease = nil } }

  /// The kernel frees a dead process's file locks.
  mutating func processEnded(_ role: Role) { if terms?.form == .fileLock { drop(by: role) } }

  private func readForNode(_ life: inout Life, in world: World) {
    var state = world.nodeInContainer
    if let channel = channelInMemory(life) { state.channel = channel }
    life.side?.notes.channelOfLease = state.channel
    life.answers.append(.claimed(.ofOthers, state))
  }

  /// The channel in the process's memory, if it does not read it again.
  private func channelInMemory(_ life: Life) -> Channel? {
    switch terms?.state {
    case nil: life.role == .app ? life.wallet.node.durableChannel : nil
    case .readAnew?: nil
    case .readIfOtherHeld?: life.side?.notes.channelOfLease
    case .kept?: life.wallet.node.durableChannel
    }
  }

  // MARK: Differences

  /// The peer keeps the channel as a backup and returns it: of the other products only Phoenix uses that.
  var hasBackups: Bool { hasVotes }

  /// The other schemes are checked for who runs the node, and for received payments.
  func promises(_ invariant: Invariant) -> Bool {
    ![.textIsTrue, .toldOnce, .sentOnce, .movedByUser].contains(invariant)
  }

  /// The other schemes make no outgoing payments, handle no storage faults, and have one device.
  func moves(for action: Agenda.Action) -> [Move]? {
    switch action {
    case .send: [.beginTask]
    case .sendIsDone: [.endTask]
    case .cancel, .press, .make(.followLink), .storage, .fullDisk, .slowPeer, .takeOtherDevice, .askToMove,
      .onOther:
      []
    case .make, .pay, .withdraw, .fault: nil
    }
  }

  func nextExpiry(in world: World) -> Instant? {
    guard let terms else { return nil }
    let sign = terms.form == .signs ? world.container.value.beats.app : lease
    guard let sign, let span = terms.holds(sign.role) else { return nil }
    return world.now + (sign.bootClock + span + .milliseconds(2) - world.clock.wallNow)
  }

  var longestMemory: TimeSpan {
    let spans = [terms?.appHolds, terms?.extensionHolds].compactMap { $0 }.filter { $0 > .seconds(5) }
    return (spans.max() ?? .zero) + .seconds(40)
  }

  /// Limits the age of the lock's stamp. Without a term it has none.
  mutating func forget(before longStale: Instant) {
    guard let lease, lease.bootClock < longStale || terms?.holds(lease.role) == nil else { return }
    self.lease?.bootClock = longStale
  }

  mutating func shift(by span: TimeSpan) {
    lease.shift(by: span)
    waitsSince.shift(by: span)
  }

  // MARK: Checks

  mutating func noteDriving(_ life: inout Life) {
    if life.side?.notes.isDriving == false { lastToDrive = life.role }
    life.side?.notes.isDriving = true
  }

  /// Longer than it takes to notice a free lock and to dial.
  private static let waitBound = TimeSpan.seconds(3)

  mutating func check(_ world: World) -> Violation? {
    let (lives, sides) = (world.lives, PerRole(world.lives.app?.value.side, world.lives.notifier?.value.side))
    // Its node has sent `channel_reestablish` without an order to stop, and the process runs.
    func drives(_ role: Role) -> Bool {
      sides[role]?.notes.isDriving == true && lives[role]?.value.isStopped == false
    }
    let isWaiting =
      lives.app?.value.isStopped == false && sides.app?.isKeptWaiting == true
      && lives.notifier?.value.wallet.node.isStopped != false
    waitsSince = isWaiting ? waitsSince ?? world.now : nil
    if drives(.app), drives(.extension) {
      return Violation(
        invariant: .oneDriver,
        sentence: "Both processes run their node at the same time: \(whyBothRun(sides, world.clock)).")
    }
    for role in [Role.app, .extension] where sides[role]?.notes.isBehindPeer == true {
      return Violation(
        invariant: .channelNeverBack,
        sentence:
          "The \(role) connects with an older channel state than the peer's: it sends nothing, and a real channel is force-closed."
      )
    }
    guard let waitsSince, world.now - waitsSince >= Self.waitBound else { return nil }
    return Violation(
      invariant: .progress,
      sentence:
        "No process has run the node for 3 s, although the app is in front: \(whyItWaits(sides.app, world)).")
  }

  private static let checkThenConnect =
    "the app checked before the extension's first beat, which comes only with its connection, and then connected"

  private func whyBothRun(_ sides: PerRole<(any Side)?>, _ clock: WorldClock) -> String {
    // The process that came second; with a lease, the one that took it from the other.
    let last = lastToDrive ?? .app
    let second = sides[last.other]?.entry == .sawOld && !hasVotes ? last.other : last
    let (first, app) = (second.other, sides.app)
    let hasThawed = app?.notes.hasThawed == true || sides.notifier?.notes.hasThawed == true
    switch sides[second]?.entry {
    case .outvoted?:
      return "the app saw a fresh beat, and its votes for a connection outweigh the one against it"
    case .didNotLook? where app?.isHiddenAtWork == true:
      return
        "the app runs in the background with a task and sends no message there, so the extension connects"
    case .didNotLook?: return Self.checkThenConnect
    case .sawOld? where clock.wasStepped:
      return "the wall clock was stepped, so the \(first)'s last sign of life looked old"
    case .insisted?: return "after 30 s the app no longer waits, although the extension's flag is set"
    case _ where coordination == .phoenixBefore776: return "the app does not notice the extension's beats"
    case .sawOld? where hasVotes && !hasThawed:
      return "the app last saw an old beat, or none, and connected without seeing the extension's newer one"
    case .sawOld? where hasThawed:
      return "the \(first) was frozen until its sign of life was stale, and its node goes on after the thaw"
    case .sawOld?: return "the \(first)'s sign of life is never renewed, and expired while its node ran"
    case .sawNothing? where hasVotes: return Self.checkThenConnect
    case .sawNothing? where terms?.form == .signs:
      return
        "each looked before the other's sign was there: the app's first beat comes after its node's start"
    case .sawNothing? where terms?.isAtomic == true:
      // Only one process can have taken an atomic lease; the other goes on without it.
      let loser = lease?.role.other ?? first
      let isThawed = sides[loser]?.notes.hasThawed == true
      let moment =
        clock.wasStepped ? " when the wall clock was stepped" : isThawed ? " while it was frozen" : ""
      return "the \(loser) lost its lease\(moment), and its node goes on"
    case .sawNothing?: return "both checked the lock, found it free, and then took it"
    case nil: return "for an unknown reason"
    }
  }

  private func whyItWaits(_ app: (any Side)?, _ world: World) -> String {
    let sign = sign(seenBy: .app, in: world)
    switch coordination.scheme {
    case .votes? where sign.map { $0.bootClock > world.clock.wallNow } ?? false:
      return "the wall clock was set back, so the time of the extension's last beat is in the future"
    case .votes(seesBeats: false)? where app?.deadline == nil:
      return "it saw the extension's beat at its start, and none of the later ones"
    case .votes?:
      let end = world.lives.notifier != nil ? "has finished" : "is gone"
      return "the extension \(end), but its last beat looks fresh for 5 s"
    case .lease(let terms)? where terms.form == .signs: return "a killed extension has left its flag"
    case .lease?, nil: break
    }
    return sign?.role == .extension
      ? "an extension that no longer runs a node still holds the lock"
      : "the app has not checked the lock again since it became free"
  }

  func whyNotReceived(in world: World) -> String {
    if terms?.extensionRunsNode == false { return ": the extension only notifies the user" }
    guard lease?.role == .app, world.lives.app?.value.isSuspended == true else { return "" }
    return ": the suspended app holds the lock, and the extension waits for it until its time is over"
  }
}
