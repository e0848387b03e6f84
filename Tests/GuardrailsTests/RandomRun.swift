import Guardrails

/// One machine whose directives get random answers in their order, as a container and a node could give them, with
/// unexpected events in between.
struct RandomRun<Machine: GuardMachine> {
  private(set) var machine = Machine(configuration: GuardConfiguration())
  private(set) var now = Instant(nanoseconds: 0)
  private(set) var promises = Promises()
  /// Events and directives of the run, to explain a failure.
  private(set) var story: [String] = []
  private var generator: SeededGenerator
  private var owed: [GuardDirective] = []
  private var epoch: Epoch = 7
  private var pushes: UInt64 = 0
  private let isPunctual: Bool
  private let keepsStory: Bool

  init(seed: UInt64, keepsStory: Bool = false) {
    generator = SeededGenerator(seed: seed)
    isPunctual = generator.chance(50)
    self.keepsStory = keepsStory
  }

  mutating func step() {
    if !owed.isEmpty && generator.chance(55) {
      feed(answer(owed.removeFirst()))
    } else if generator.chance(40) {
      advance()
    } else {
      feed(anything())
    }
  }

  /// Requests termination and answers every directive: the machine must end, whatever went before.
  mutating func comeToAnEnd() {
    feed(.terminationRequested)
    for _ in 0..<200 where !promises.hasEnded {
      if !owed.isEmpty {
        feed(fairAnswer(owed.removeFirst()))
      } else if let deadline = machine.deadline {
        now = max(now, deadline)
        feedDeadline()
      }
    }
    if !promises.hasEnded { promises.broke("does not end when asked to") }
    guard Machine.role == .extension else { return }
    if promises.delivered.count != promises.arrived.count { promises.broke("a push got no text") }
    if !promises.silent.isEmpty { promises.broke("a silent push was never completed") }
    if promises.finished.count != promises.arrived.count { promises.broke("a push was never finished") }
    guard isPunctual else { return }
    for (push, arrival) in promises.arrived {
      guard let delivery = promises.delivered[push],
        delivery - arrival > ExtensionMachine.totalTime + ExtensionMachine.answerTime
          + ExtensionMachine.releaseTime
      else { continue }
      promises.broke("push \(push) got its text \((delivery - arrival).wholeMilliseconds) ms after it came")
    }
  }

  private mutating func feed(_ event: GuardEvent) {
    let directives = machine.handle(event, at: now)
    if keepsStory { story.append("\(now.nanoseconds / 1_000_000) ms: \(event) → \(directives)") }
    promises.note(event, at: now, directives)
    owed += directives.filter(\.isAnswered)
    if promises.hasEnded, let deadline = machine.deadline {
      promises.broke("a deadline \(deadline) after the end")
    }
  }

  private mutating func feedDeadline() {
    feed(.deadlineReached)
    if let deadline = machine.deadline, deadline <= now { promises.broke("the deadline does not move on") }
  }

  private mutating func advance() {
    let spans: [Int64] = [0, 1, 10, 100, 250, 1000, 2000, 5000] + (isPunctual ? [] : [10_000, 60_000])
    let later = now + .milliseconds(generator.pick(spans))
    guard let deadline = machine.deadline, later >= deadline else {
      now = later
      return
    }
    now = max(now, isPunctual ? deadline : later)
    feedDeadline()
  }

  // MARK: What may happen

  private mutating func anything() -> GuardEvent {
    switch generator.below(15) {
    case 0: return .launched
    case 1: return .enteredForeground
    case 2: return .enteredBackground
    case 3: return .pushArrived(newPush())
    case 4: return Machine.role == .app ? .silentPushArrived(newPush()) : .pushArrived(newPush())
    case 5: return .expiryWarned(push: UInt64(generator.below(Int(pushes) + 2)))
    case 6:
      if generator.chance(5) { return .terminationRequested }
      return generator.chance(5) ? .containerLost("It is gone.") : .deadlineReached
    case 7: return .partnerEnded
    case 8: return .presenceHeard(message())
    case 9: return received(for: UInt64(generator.below(Int(pushes) + 2)), finding: [payment])
    case 10: return .observed(observed())
    case 11: return task()
    case 12: return generator.chance(50) ? .lookFailed(trouble()) : .rowReadFailed(trouble())
    default: return .node(report())
    }
  }

  private mutating func task() -> GuardEvent {
    let task = TaskBeginning(
      name: generator.pick(["send", "splice"]), generation: UInt64(generator.below(3)))
    return generator.pick([
      .taskBegan(task), .taskEnded(task), .backgroundTimeExpired(task: UInt64(generator.below(3))),
    ])
  }

  private mutating func newPush() -> Push {
    // Sometimes a push that has already arrived.
    if pushes > 0 && generator.chance(3) && !promises.finished.contains(pushes) { return push(pushes) }
    pushes += 1
    var push = push(
      pushes, generator.pick([.incomingPayment, .pendingSettlement, .other, .unreadable]))
    if Machine.self == TellingExtensionMachine.self { push.announcement = announcement() }
    return push
  }

  private mutating func announcement() -> Announcement? {
    guard generator.chance(80) else { return nil }
    return Announcement(
      kind: generator.pick(Announcement.Kind.allCases), paymentHash: paymentHash("aa"), amountMsat: 1000)
  }

  private mutating func message() -> PresenceMessage {
    PresenceMessage(
      code: generator.pick(PresenceCode.allCases), wantsNode: generator.chance(50),
      asksForHandover: generator.chance(50), released: generator.chance(20) ? epoch : nil)
  }

  private mutating func trouble() -> Trouble {
    if generator.chance(3) { return .lost("It is gone.") }
    return generator.chance(50) ? .blocked(pid: 7, isStopped: true) : .failed("The disk is full.")
  }

  private mutating func received(for push: UInt64, finding payments: [ReceivedPayment]) -> GuardEvent {
    if generator.chance(15) { return .receivedNotRead(trouble(), push: push) }
    return .receivedFound(generator.chance(30) ? payments : [], push: push)
  }

  private mutating func report() -> NodeReport {
    let highest = generator.chance(80) ? epoch + Epoch(generator.below(3)) : generator.pick([0, .max])
    return generator.pick([
      .connecting, .established, .established, .busy(.settling), .busy(.splicing),
      .busy(.collecting([paymentHash("aa")])), .busy(.nothing), .busy(.nothing), .received(payment),
      .received(secondPayment), .trouble("x"), .stopped, generator.chance(30) ? .fenced : .established,
      .refused(highest: highest, container: generator.chance(80) ? container : otherContainer),
    ])
  }

  private mutating func observed() -> Observation {
    let holder = row(epoch, generator.pick(Role.allCases))
    let sign = beat(holder.role, epoch: epoch, counter: generator.next() % 3, at: now)
    return observation(
      generator.chance(95) ? holder : nil, lockIsBusy: generator.chance(40),
      beat: generator.chance(70) ? sign : nil, appWantsNode: generator.chance(30), at: now)
  }

  // MARK: Answers

  private mutating func answer(_ directive: GuardDirective) -> GuardEvent {
    switch directive {
    case .container(.look): return generator.chance(90) ? .observed(observed()) : .lookFailed(trouble())
    case .container(.claim), .container(.raiseEpoch):
      // The row was read as another process's: no raise succeeds after that.
      guard promises.isAwaitingClaim || promises.isAwaitingJump, generator.chance(65) else {
        return generator.pick([.claimSuperseded, .ownLockWasBusy, .claimFailed(trouble())])
      }
      return fairAnswer(directive)
    case .container(.readRow):
      switch generator.below(20) {
      case 0: return .rowRead(nil, appWantsNode: generator.chance(50))
      case 1: return .rowRead(row(epoch + 1, Machine.role.other), appWantsNode: generator.chance(50))
      case 2, 3: return .rowReadFailed(trouble())
      default: return fairAnswer(directive, appWantsNode: generator.chance(20))
      }
    case .wallet(.readReceived(_, let push)): return received(for: push, finding: [payment, secondPayment])
    case .wallet(.storeIncoming(_, let push)):
      return generator.chance(50) ? .incomingNotStored(trouble(), push: push) : fairAnswer(directive)
    default: return fairAnswer(directive)
    }
  }

  private mutating func fairAnswer(_ directive: GuardDirective, appWantsNode: Bool = false) -> GuardEvent {
    switch directive {
    case .container(.look):
      return .observed(observation(row(epoch, Machine.role.other), lockIsBusy: false, at: now))
    case .container(.claim(let seen, _)):
      epoch = max(epoch, seen) + 1
      return .claimed(claim(epoch))
    case .container(.raiseEpoch(_, let above, _)):
      guard promises.isAwaitingJump else { return .claimSuperseded }
      epoch = max(epoch, above) + 1
      return .claimed(claim(epoch))
    case .container(.readRow):
      let own = promises.held.map { row($0.epoch, Machine.role) }
      return .rowRead(own ?? row(epoch, Machine.role.other), appWantsNode: appWantsNode)
    case .wallet(.readReceived(_, let push)): return .receivedFound([], push: push)
    case .wallet(.storeIncoming(_, let push)): return .incomingStored(push: push)
    default: return .node(.stopped)
    }
  }
}

extension GuardDirective {
  fileprivate var isAnswered: Bool {
    switch self {
    case .container(.look), .container(.claim), .container(.raiseEpoch), .container(.readRow),
      .wallet(.readReceived), .wallet(.storeIncoming), .node(.stopNode(gracefully: true)):
      true
    default: false
    }
  }
}
