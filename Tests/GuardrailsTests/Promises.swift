import Ground
import Guardrails
import Heartbeat

/// Watches one machine from outside and writes down every promise that it breaks. It knows only what a shell knows:
/// the events that were fed and the directives that came back.
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
  private var isStopping = false
  private var intentIsRaised = false
  private var isInFront = false
  /// Silent pushes of which it has not said what came of them.
  private(set) var silent: Set<UInt64> = []
  private var timeAsked: UInt64?
  private var lastTimeAsked: UInt64?
  /// The row was read and found ours, or the claim was just made: one beat may follow.
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
    case .enteredForeground: isInFront = true
    case .enteredBackground: isInFront = false
    default: break
    }
  }

  /// Without the phone's time it can be suspended at any moment.
  private mutating func doneWithEverything(_ what: String) {
    if held != nil || nodeRuns || isAwaitingClaim { broke("\(what) while it holds something") }
    if intentIsRaised { broke("\(what) with its intent raised") }
  }

  private mutating func check(_ directive: GuardDirective, at now: Instant, followedBy next: GuardDirective?)
  {
    switch directive {
    case .raiseIntent: intentIsRaised = true
    case .withdrawIntent: intentIsRaised = false
    case .claim, .raiseEpoch: claimAsked(directive)
    case .beat(let epoch, let phase, let counter): beat(epoch, phase, counter, followedBy: next)
    case .startNode(let claim, _):
      if claim != held { broke("dials under \(claim) while holding \(String(describing: held))") }
      if nodeRuns { broke("a second node") }
      nodeRuns = true
      isStopping = false
    case .stopNode(let gracefully):
      isStopping = true
      if !gracefully { nodeRuns = false }
    case .dropLock:
      if held == nil { broke("drops a lock that it does not hold") }
      if nodeRuns { broke("drops the lock while the node runs") }
      held = nil
      // Fenced during a jump: the jump cannot succeed any more.
      isAwaitingJump = false
    case .say(let message):
      if message.released != nil && held != nil { broke("says released before it is") }
    case .backgroundDone: if timeAsked == nil { doneWithEverything("says background done") }
    case .completed(let push, _):
      if !silent.contains(push) { broke("completes silent push \(push), which it does not have") }
      silent.remove(push)
    case .beginBackgroundTask(let number, _):
      if timeAsked != nil || number == lastTimeAsked { broke("asks twice for time in the background") }
      timeAsked = number
      lastTimeAsked = number
    case .endBackgroundTask(let number):
      if timeAsked != number { broke("gives back time that it was not given") }
      timeAsked = nil
      if !isInFront { doneWithEverything("gives its time back") }
    case .end:
      hasEnded = true
      if held != nil || nodeRuns || isAwaitingClaim { broke("ends while it holds something") }
    case .noteFailure: if silent.isEmpty { broke("notes a failure of nothing") }
    case .deliver, .finished: text(directive, at: now)
    case .look, .readRow, .readReceived, .acceptNoNewPayment, .endLongPause, .show, .mayConnect, .notify,
      .withdraw:
      break
    }
  }

  private mutating func claimAsked(_ directive: GuardDirective) {
    if isAwaitingClaim || isAwaitingJump { broke("claims twice at once") }
    if nodeRuns { broke("claims while a node runs") }
    if case .claim = directive {
      if held != nil { broke("claims what it holds") }
      isAwaitingClaim = true
    } else {
      if held == nil { broke("jumps without a claim") }
      isAwaitingJump = true
    }
  }

  private mutating func beat(
    _ epoch: Epoch, _ phase: Phase, _ counter: UInt64, followedBy next: GuardDirective?
  ) {
    if !beatIsEarned { broke("beats without having read the row") }
    beatIsEarned = false
    if epoch != held?.epoch { broke("beats under epoch \(epoch) while holding \(String(describing: held))") }
    if counter != (lastCounter ?? 0) + 1 {
      broke("counter \(counter) after \(String(describing: lastCounter))")
    }
    lastCounter = counter
    if (phase == .released) != (next == .dropLock) {
      broke("\(phase) followed by \(String(describing: next))")
    }
    if phase == .released && nodeRuns { broke("beats released while the node runs") }
  }

  private mutating func text(_ directive: GuardDirective, at now: Instant) {
    switch directive {
    case .deliver(let push, _):
      if arrived[push] == nil { broke("a text for push \(push), which never came") }
      if delivered.updateValue(now, forKey: push) != nil { broke("two texts for push \(push)") }
    case .finished(let push, _):
      if delivered[push] == nil { broke("push \(push) finished without a text") }
      if !finished.insert(push).inserted { broke("push \(push) finished twice") }
    default: break
    }
  }
}
