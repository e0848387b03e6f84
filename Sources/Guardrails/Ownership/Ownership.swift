import Ground
import Heartbeat

/// One process's way to the node and back: look, claim, own, release. Both machines build on it.
///
/// The epoch decides, the lock proves life or death, the beats bound the wait (docs/guardrails.md). Every wait ends
/// without a message too: a lost one is made up for by looking again.
public struct Ownership: Hashable, Codable, Sendable {
  static let lookInterval = TimeSpan.milliseconds(250)
  static let blockedRetry = TimeSpan.milliseconds(100)
  static let troubleRetry = TimeSpan.seconds(1)
  static let ownLockRetry = TimeSpan.milliseconds(10)
  static let ownLockQuickRetries = 10
  /// Longer than the node's own limit for draining its socket; only a node that hangs reaches it.
  static let nodeStopBound = TimeSpan.seconds(3)

  let role: Role
  private let takeover: Takeover
  private let timing: HeartbeatTiming
  var state = State.idle
  /// Set when this process was fenced, until its machine has handled it.
  private(set) var wasFenced = false
  /// Set while the user's request to move the node here is valid: the next refusal because of another container is
  /// answered by replacing that container's claim. Not stored; ends with a claim, or when the user stops waiting.
  var movesHereUntil: Instant?
  /// Raising the epoch failed: the next look is delayed as after a failed claim.
  var failedRaise: FailedRaise?
  /// The epoch that was released, until the machine has announced it to the other process.
  private(set) var releasedEpoch: Epoch?

  init(role: Role, takeover: Takeover, timing: HeartbeatTiming) {
    self.role = role
    self.takeover = takeover
    self.timing = timing
  }

  // MARK: Requests of the machine

  mutating func want(at now: Instant) -> [GuardDirective] {
    switch state {
    case .idle: return beginLooking(at: now)
    case .claiming(var looking):
      looking.isWanted = true
      state = .claiming(looking)
      return []
    case .looking, .owning, .releasing, .closing: return []
    }
  }

  /// Releases the node, or stops waiting for it.
  mutating func unwant(at now: Instant) -> [GuardDirective] {
    movesHereUntil = nil
    switch state {
    case .looking:
      state = .idle
      return []
    case .claiming(var looking):
      looking.isWanted = false
      state = .claiming(looking)
      return []
    case .owning(let owning): return release(owning, at: now)
    case .idle, .releasing, .closing: return []
    }
  }

  /// Ends a release at once: closes the socket and unlocks. The claim row stays, with a free lock.
  mutating func cutReleaseShort() -> [GuardDirective] {
    switch state {
    case .releasing: return abandon()
    case .closing(let owning) where owning.node != .raising: return abandon()
    // The container's answer to a claim decides whether there is a lock to drop.
    case .idle, .looking, .claiming, .owning, .closing: return []
    }
  }

  mutating func takeFencedNotice() -> Bool {
    defer { wasFenced = false }
    return wasFenced
  }

  mutating func takeReleasedEpoch() -> Epoch? {
    defer { releasedEpoch = nil }
    return releasedEpoch
  }

  // MARK: Events

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .deadlineReached: return deadlineReached(at: now)
    case .observed(let observation): return observed(observation, at: now)
    case .lookFailed(.lost), .rowReadFailed(.lost), .receivedNotRead(.lost, _), .containerLost:
      return abandon()
    case .claimFailed(.lost):
      // The pending claim is answered.
      if isClaiming { state = .idle }
      return abandon()
    case .lookFailed(let trouble):
      endMoveRequest(after: trouble)
      return lookFailed(trouble, at: now)
    case .claimed(let claim): return claimed(claim, at: now)
    case .claimSuperseded: return claimSuperseded(at: now)
    case .ownLockWasBusy: return ownLockWasBusy(at: now)
    case .claimFailed(let trouble):
      endMoveRequest(after: trouble)
      return claimFailed(trouble, at: now)
    case .rowRead(let row, let appWantsNode): return rowRead(row, appWantsNode, at: now)
    case .rowReadFailed: return rowReadFailed(at: now)
    case .presenceHeard, .partnerEnded: return somethingChanged(at: now)
    case .node(let report): return node(report, at: now)
    case .nodeWanted, .launched, .enteredForeground, .enteredBackground, .pushArrived, .toldPushRead,
      .silentPushArrived, .expiryWarned, .runExpired,
      .terminationRequested, .networkChanged, .backgroundTimeExpired, .taskBegan, .taskEnded, .receivedFound,
      .receivedNotRead, .moveRequested, .incomingStored, .incomingNotStored:
      return []
    }
  }

  var deadline: Instant? {
    switch state {
    case .idle, .claiming, .closing: nil
    case .looking(let looking): looking.isLooking ? nil : looking.nextLook
    case .owning(let owning): owning.isReadingRow ? nil : owning.schedule.nextBeat
    case .releasing(_, let nodeStopsBy): nodeStopsBy
    }
  }

  private mutating func deadlineReached(at now: Instant) -> [GuardDirective] {
    guard let deadline, now >= deadline else { return [] }
    switch state {
    case .looking(var looking):
      looking.isLooking = true
      state = .looking(looking)
      return [.container(.look)]
    case .owning(var owning):
      owning.isReadingRow = true
      state = .owning(owning)
      return [.container(.readRow)]
    case .releasing(let owning, _):
      // The node hangs: close its socket, then continue as if it had stopped.
      return [.node(.stopNode(gracefully: false))] + close(owning)
    case .idle, .claiming, .closing: return []
    }
  }

  // MARK: Looking and claiming

  /// Looks come faster than beats: a longer gap would count as our own pause, and silence would never be found.
  var lookInterval: TimeSpan {
    min(Self.lookInterval, TimeSpan(nanoseconds: timing.interval.nanoseconds / 2))
  }

  func newLook(at now: Instant) -> Looking {
    Looking(rule: ClaimRule(role: role, takeover: takeover, timing: timing), nextLook: now)
  }

  private mutating func observed(_ observation: Observation, at now: Instant) -> [GuardDirective] {
    guard case .looking(var looking) = state, looking.isLooking else { return [] }
    looking.isLooking = false
    switch looking.rule.decide(observation, at: now) {
    case .claim(let seen, let reason):
      // Keeps the trouble until the claim is answered, so that a claim blocked again shows the same text.
      looking.waitsFor = nil
      looking.claimAskedAt = now
      state = .claiming(looking)
      return [.container(.claim(seen: seen, reason: reason))]
    case .wait(let reason, let until):
      looking.waitsFor = reason
      looking.trouble = nil
      looking.nextLook = min(until, now + lookInterval)
      state = .looking(looking)
      return []
    }
  }

  private mutating func lookFailed(_ trouble: Trouble, at now: Instant) -> [GuardDirective] {
    guard case .looking(let looking) = state, looking.isLooking else { return [] }
    return lookAgain(looking, after: retry(trouble), trouble: trouble, at: now)
  }

  /// After a claim or a look that failed.
  mutating func lookAgain(
    _ before: Looking, after span: TimeSpan, trouble: Trouble?, at now: Instant
  ) -> [GuardDirective] {
    guard before.isWanted else {
      state = .idle
      return []
    }
    var looking = before
    looking.trouble = trouble
    looking.isLooking = span == .zero
    looking.nextLook = now + span
    state = .looking(looking)
    return looking.isLooking ? [.container(.look)] : []
  }

  /// After a presence message, or the end of the other process: the container has the facts.
  private mutating func somethingChanged(at now: Instant) -> [GuardDirective] {
    guard case .looking(var looking) = state, !looking.isLooking else { return [] }
    looking.isLooking = true
    state = .looking(looking)
    return [.container(.look)]
  }

  private mutating func claimed(_ claim: Claim, at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(let looking):
      var owning = Owning(
        claim: claim, phase: .claimed, schedule: BeatSchedule(timing: timing, claimedAt: now))
      guard looking.isWanted else {
        // The user went home meanwhile: the node is not wanted any more.
        return close(owning)
      }
      if let askedAt = looking.claimAskedAt, now - askedAt > timing.interval {
        // Paused between the claim and now: an observer of our silence may own the node by now.
        owning.isReadingRow = true
        state = .owning(owning)
        return [.container(.readRow)]
      }
      return start(owning, at: now)
    case .owning(var owning) where owning.node == .raising && claim.epoch > owning.claim.epoch:
      // The epoch was raised above the peer's.
      movesHereUntil = nil
      owning.claim = claim
      owning.phase = .claimed
      owning.hasRaised = true
      return start(owning, at: now)
    case .closing(var owning) where owning.node == .raising && claim.epoch > owning.claim.epoch:
      // Raised, but the node is not wanted any more: releases the new epoch.
      owning.claim = claim
      return close(owning)
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  private mutating func start(_ before: Owning, at now: Instant) -> [GuardDirective] {
    var owning = before
    let beat = nextBeat(&owning, at: now)
    owning.node = .started
    owning.activity = .nothing
    state = .owning(owning)
    return [beat, .node(.startNode(owning.claim, replacing: owning.replacing))]
  }

  // MARK: Owning

  private func nextBeat(_ owning: inout Owning, at now: Instant) -> GuardDirective {
    let counter = owning.schedule.beat(at: now)
    return .container(.beat(epoch: owning.claim.epoch, phase: owning.phase, counter: counter))
  }

  /// The row is read before each beat: an idle process learns here that it was replaced.
  private mutating func rowRead(
    _ row: ClaimRow?, _ appWantsNode: Bool, at now: Instant
  ) -> [GuardDirective] {
    switch state {
    case .owning(var owning) where owning.isReadingRow:
      guard owning.claim.owns(row) else { return fenced() }
      owning.isReadingRow = false
      if owning.node == .unstarted { return start(owning, at: now) }
      // The first beat of a phase is not due yet: the app may be opened, or the first payment come, just then.
      let isIdle = owning.phase == .established && now >= owning.schedule.nextBeat
      let beat = nextBeat(&owning, at: now)
      state = .owning(owning)
      return [beat] + (isIdle ? [.container(.settle)] : [])
    case .releasing(let owning, _) where !owning.claim.owns(row): return fenced()
    case .closing(var owning) where owning.node != .raising:
      state = .idle
      guard owning.claim.owns(row) else {
        wasFenced = true
        return [.container(.dropLock)]
      }
      owning.phase = .released
      releasedEpoch = owning.claim.epoch
      // An app that wants the node claims it now, and its commit would wait for the checkpoint. It settles the log itself.
      return [nextBeat(&owning, at: now), .container(.dropLock)] + (appWantsNode ? [] : [.container(.settle)])
    case .idle, .looking, .claiming, .owning, .releasing, .closing: return []
    }
  }

  /// Without the row there is no beat: a replaced owner must not beat.
  private mutating func rowReadFailed(at now: Instant) -> [GuardDirective] {
    switch state {
    case .owning(var owning) where owning.isReadingRow:
      owning.isReadingRow = false
      owning.schedule.postpone(until: now + Self.blockedRetry)
      state = .owning(owning)
      return []
    case .closing(let owning) where owning.node != .raising:
      // Dropping the lock is enough; the last beat is only for users.
      state = .idle
      return [.container(.dropLock)]
    case .idle, .looking, .claiming, .owning, .releasing, .closing: return []
    }
  }

  private mutating func node(_ report: NodeReport, at now: Instant) -> [GuardDirective] {
    switch (state, report) {
    case (.owning, .fenced), (.releasing, .fenced): return fenced()
    case (.releasing(let owning, _), .stopped): return close(owning)
    // Ignores reports of a node that is closed.
    case (.owning(let owning), _) where owning.node != .started: return []
    case (.owning(let owning), .connecting): return enter(.connecting, owning, at: now)
    case (.owning(var owning), .established):
      movesHereUntil = nil
      owning.trouble = nil
      return enter(owning.connectedPhase, owning, at: now)
    case (.owning(var owning), .trouble(let sentence)):
      owning.trouble = sentence
      state = .owning(owning)
      return []
    case (.owning(var owning), .busy(let activity)):
      owning.activity = activity
      state = .owning(owning)
      return isEstablished ? enter(owning.connectedPhase, owning, at: now) : []
    case (.releasing(var owning, let nodeStopsBy), .busy(let activity)):
      owning.activity = activity
      state = .releasing(owning, nodeStopsBy: nodeStopsBy)
      return []
    case (.owning(let owning), .refused(let highest, let container)):
      return refused(owning, highest, container, at: now)
    default: return []
    }
  }

  private mutating func enter(_ phase: Phase, _ before: Owning, at now: Instant) -> [GuardDirective] {
    guard before.phase != phase else { return [] }
    var owning = before
    owning.phase = phase
    guard !owning.isReadingRow else {
      state = .owning(owning)
      return []
    }
    owning.isReadingRow = true
    state = .owning(owning)
    return [.container(.readRow)]
  }

  // MARK: Releasing

  mutating func release(_ owning: Owning, at now: Instant) -> [GuardDirective] {
    switch owning.node {
    case .started: break
    case .unstarted: return close(owning)
    case .raising:
      // The epoch to release is known once the raise is answered.
      state = .closing(owning)
      return []
    }
    state = .releasing(owning, nodeStopsBy: now + Self.nodeStopBound)
    return [.node(.stopNode(gracefully: true))]
  }

  mutating func close(_ before: Owning) -> [GuardDirective] {
    var owning = before
    owning.node = .unstarted
    state = .closing(owning)
    return [.container(.readRow)]
  }

  /// Ends without a release; the next start opens the container that is there then.
  private mutating func abandon() -> [GuardDirective] {
    let before = state
    state = .idle
    switch before {
    case .owning, .releasing: return [.node(.stopNode(gracefully: false)), .container(.dropLock)]
    case .closing: return [.container(.dropLock)]
    case .claiming(var looking):
      // The claim's answer comes first, and is then ignored.
      looking.isWanted = false
      state = .claiming(looking)
      return []
    case .idle, .looking: return []
    }
  }

  /// A fenced process closes the socket and unlocks; it never redials first.
  mutating func fenced() -> [GuardDirective] {
    state = .idle
    wasFenced = true
    return [.node(.stopNode(gracefully: false)), .container(.dropLock)]
  }
}

// A claim, or a raise of the epoch, that failed.
extension Ownership {
  mutating func claimFailed(_ trouble: Trouble, at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(let looking): return lookAgain(looking, after: retry(trouble), trouble: trouble, at: now)
    // The peer refuses the epoch that we own.
    case .owning(let owning) where owning.node == .raising:
      failedRaise = FailedRaise(trouble: trouble, looksAgainAt: now + retry(trouble))
      return close(owning)
    case .closing(let owning) where owning.node == .raising: return close(owning)
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  mutating func claimSuperseded(at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(let looking): return lookAgain(looking, after: .zero, trouble: nil, at: now)
    case .owning(let owning) where owning.node == .raising: return fenced()
    case .closing(let owning) where owning.node == .raising: return fenced()
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  func retry(_ trouble: Trouble) -> TimeSpan {
    if case .blocked = trouble { Self.blockedRetry } else { Self.troubleRetry }
  }

  /// The other process may hold our lock for an instant while probing it, so the claim is first repeated quickly; if
  /// another process of our own role still holds the lock, retry at the normal interval.
  mutating func ownLockWasBusy(at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(var looking):
      looking.ownLockRefusals += 1
      let isQuick = looking.ownLockRefusals <= Self.ownLockQuickRetries
      return lookAgain(looking, after: isQuick ? Self.ownLockRetry : lookInterval, trouble: nil, at: now)
    case .owning(let owning) where owning.node == .raising,
      .closing(let owning) where owning.node == .raising:
      return close(owning)
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  mutating func beginLooking(at now: Instant) -> [GuardDirective] {
    var looking = newLook(at: now)
    if let failed = failedRaise, failed.looksAgainAt > now {
      looking.isLooking = false
      looking.nextLook = failed.looksAgainAt
      looking.trouble = failed.trouble
    }
    failedRaise = nil
    state = .looking(looking)
    return looking.isLooking ? [.container(.look)] : []
  }
}

// The user's request to move the wallet to this container.
extension Ownership {
  /// As long as `baton restore` waits: a later refusal is put to the user again.
  static let moveRequestBound = TimeSpan.seconds(10)

  /// An earlier failure does not answer this request: look again at once.
  mutating func moveHere(at now: Instant) -> [GuardDirective] {
    movesHereUntil = now + Self.moveRequestBound
    guard case .looking(var looking) = state, looking.trouble != nil else { return [] }
    let asks = !looking.isLooking
    looking.trouble = nil
    looking.isLooking = true
    state = .looking(looking)
    return asks ? [.container(.look)] : []
  }

  /// After a failure the user is informed and can ask again; a blocked container is only waited for.
  mutating func endMoveRequest(after trouble: Trouble) {
    if case .failed = trouble { movesHereUntil = nil }
  }

  mutating func endOldMoveRequest(at now: Instant) {
    if let movesHereUntil, now >= movesHereUntil { self.movesHereUntil = nil }
  }
}

// The peer has seen a higher epoch, or another container.
extension Ownership {
  mutating func refused(
    _ before: Owning, _ highest: Epoch, _ container: ContainerID, at now: Instant
  ) -> [GuardDirective] {
    var owning = before
    let answer = answer(toHighest: highest, of: container)
    // The request to move stays valid until a claim has replaced the other container's.
    if answer != .takePlace { movesHereUntil = nil }
    switch answer {
    case .raise: break
    case .takePlace: owning.replacing = ReplacedClaim(epoch: highest, container: container)
    case .otherDevice, .outOfReach, nil: return release(owning, at: now)
    }
    owning.node = .raising
    state = .owning(owning)
    let known = max(highest, owning.claim.epoch)
    return [
      .node(.stopNode(gracefully: false)),
      .container(.raiseEpoch(owning.claim, above: known, replacing: owning.replacing)),
    ]
  }
}
