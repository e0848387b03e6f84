import Guardrails

/// Records every promise that one machine breaks, from its events and directives alone.
struct Promises {
  private(set) var broken: [String] = []
  private(set) var hasEnded = false
  private(set) var held: Claim?
  private(set) var isAwaitingClaim = false
  private(set) var isAwaitingJump = false
  private(set) var nodeRuns = false
  private(set) var arrived: [UInt64: Instant] = [:]
  private(set) var delivered: [UInt64: Instant] = [:]
  private(set) var finished: Set<UInt64> = []
  private var warned: Set<UInt64> = []
  private var isStopping = false
  private var intentIsRaised = false
  private var isInFront = false
  /// Silent pushes that the machine has not completed.
  private(set) var silent: Set<UInt64> = []
  private var timeAsked: UInt64?
  private var lastTimeAsked: UInt64?
  /// The row was read as the machine's own, or the claim was just made: one beat may follow.
  private var beatIsEarned = false
  private var lastCounter: UInt64?

  mutating func note(_ event: GuardEvent, at now: Instant, _ directives: [GuardDirective]) {
    if hasEnded && !directives.isEmpty { broke("\(directives) after the end") }
    learn(event, at: now)
    for (index, directive) in directives.enumerated() {
      if hasEnded { broke("\(directive) after the end") }
      check(directive, at: now, followedBy: directives.dropFirst(index + 1).first)
    }
    beatIsEarned = false
  }

  mutating func broke(_ what: String) { broken.append(what) }

  private mutating func learn(_ event: GuardEvent, at now: Instant) {
    switch event {
    case .pushArrived(let push) where !hasEnded: arrived[push.id] = arrived[push.id] ?? now
    case .claimed(let claim) where isAwaitingClaim || isAwaitingJump:
      if held == nil { lastCounter = nil }
      held = claim
      isAwaitingClaim = false
      isAwaitingJump = false
      beatIsEarned = true
    case .claimSuperseded, .ownLockWasBusy, .claimFailed:
      isAwaitingClaim = false
      isAwaitingJump = false
    case .rowRead(let row, _): beatIsEarned = held?.owns(row) ?? false
    case .node(.stopped) where isStopping: nodeRuns = false
    case .node(.fenced): nodeRuns = false
    case .silentPushArrived(let push) where !hasEnded: silent.insert(push.id)
    case .expiryWarned(let push): warned.insert(push)
    case .enteredForeground: isInFront = true
    case .enteredBackground: isInFront = false
    default: break
    }
  }

  /// After this the process can be suspended at any moment.
  private mutating func doneWithEverything(_ what: String) {
    if held != nil || nodeRuns || isAwaitingClaim { broke("\(what) while holding a claim or a node") }
    if intentIsRaised { broke("\(what) with the intent raised") }
  }

  private mutating func check(_ directive: GuardDirective, at now: Instant, followedBy next: GuardDirective?)
  {
    switch directive {
    case .container(.raiseIntent): intentIsRaised = true
    case .container(.withdrawIntent): intentIsRaised = false
    case .container(.claim), .container(.raiseEpoch): claimAsked(directive)
    case .container(.beat(let epoch, let phase, let counter)): beat(epoch, phase, counter, followedBy: next)
    case .node(.startNode(let claim, _)):
      if claim != held { broke("dials under \(claim) while holding \(String(describing: held))") }
      if nodeRuns { broke("a second node") }
      nodeRuns = true
      isStopping = false
    case .node(.stopNode(let gracefully)):
      isStopping = true
      if !gracefully { nodeRuns = false }
    case .container(.dropLock):
      if held == nil { broke("drops a lock without holding it") }
      if nodeRuns { broke("drops the lock while the node runs") }
      held = nil
      // Fenced during a jump: the jump cannot succeed any more.
      isAwaitingJump = false
    case .phone(.say(let message)):
      if message.released != nil && held != nil { broke("sends released before the release") }
    case .phone(.backgroundDone): if timeAsked == nil { doneWithEverything("reports background done") }
    case .phone(.completed(let push, _)):
      if !silent.contains(push) { broke("completes silent push \(push), which never arrived") }
      silent.remove(push)
    case .phone(.beginBackgroundTask(let number, _)):
      if timeAsked != nil || number == lastTimeAsked { broke("begins a second background task") }
      timeAsked = number
      lastTimeAsked = number
    case .phone(.endBackgroundTask(let number)):
      if timeAsked != number { broke("ends a background task that was not begun") }
      timeAsked = nil
      if !isInFront { doneWithEverything("ends its background task") }
    case .phone(.end):
      hasEnded = true
      if held != nil || nodeRuns || isAwaitingClaim { broke("ends while holding a claim or a node") }
    case .phone(.noteFailure): if silent.isEmpty { broke("notes a failure without a silent push") }
    case .phone(.deliver(let push, _)):
      text(directive, at: now)
      // A push that was never served is finished with its text.
      let isOver = next.map { if case .phone(.finished(push, _)) = $0 { true } else { false } } ?? false
      if held != nil, !isOver, !isLate(push, at: now) {
        broke("a text for push \(push) before the node is released")
      }
    case .phone(.finished): text(directive, at: now)
    case .wallet(.storeIncoming(_, let push)):
      if delivered[push] != nil { broke("stores a record after the text, when the process may be suspended") }
    case .container(.look), .container(.readRow), .container(.settle), .wallet(.readReceived),
      .wallet(.notify),
      .wallet(.withdraw), .wallet(.runServed), .node(.acceptNoNewPayment), .node(.endLongPause),
      .phone(.show),
      .phone(.mayConnect):
      break
    }
  }

  private mutating func claimAsked(_ directive: GuardDirective) {
    if isAwaitingClaim || isAwaitingJump { broke("claims twice at once") }
    if nodeRuns { broke("claims while a node runs") }
    if case .container(.claim) = directive {
      if held != nil { broke("claims while holding a claim") }
      isAwaitingClaim = true
    } else {
      if held == nil { broke("raises the epoch without a claim") }
      isAwaitingJump = true
    }
  }

  private mutating func beat(
    _ epoch: Epoch, _ phase: Phase, _ counter: UInt64, followedBy next: GuardDirective?
  ) {
    if !beatIsEarned { broke("beats without a read of the row") }
    beatIsEarned = false
    if epoch != held?.epoch { broke("beats under epoch \(epoch) while holding \(String(describing: held))") }
    if counter != (lastCounter ?? 0) + 1 {
      broke("counter \(counter) after \(String(describing: lastCounter))")
    }
    lastCounter = counter
    if (phase == .released) != (next == .container(.dropLock)) {
      broke("\(phase) followed by \(String(describing: next))")
    }
    if phase == .released && nodeRuns { broke("beats released while the node runs") }
  }

  private func isLate(_ push: UInt64, at now: Instant) -> Bool {
    guard let arrival = arrived[push] else { return false }
    return warned.contains(push) || now - arrival >= ExtensionMachine.totalTime
  }

  private mutating func text(_ directive: GuardDirective, at now: Instant) {
    switch directive {
    case .phone(.deliver(let push, _)):
      if arrived[push] == nil { broke("a text for push \(push), which never arrived") }
      if delivered.updateValue(now, forKey: push) != nil { broke("two texts for push \(push)") }
    case .phone(.finished(let push, _)):
      if delivered[push] == nil { broke("push \(push) finished without a text") }
      if !finished.insert(push).inserted { broke("push \(push) finished twice") }
    default: break
    }
  }
}
