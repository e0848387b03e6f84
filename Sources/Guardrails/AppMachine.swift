import Ground

/// The app's side of the guardrails.
///
/// In the foreground the app wants the node: it holds the intent lock and says so in a presence message. In the
/// background it keeps the node only for pending work, and releases everything before it ends its background task.
/// While another process holds the node, the app shows why it waits and asks an extension for a handover.
public struct AppMachine: GuardMachine {
  public static let name = "guard-app"
  public static let role = Role.app

  package enum Place: UInt8, Hashable, Sendable, CaseIterable {
    /// Launched, perhaps by the system, and never in the foreground. → foreground, staying (a silent push), ended
    /// (nothing is held)
    case background
    /// In the foreground. → staying, leaving, ending; background, ended (nothing was held)
    case foreground
    /// In the background with a task or a silent push. → foreground, leaving, ending; background, ended (nothing was
    /// held)
    case staying
    /// In the background; the release is under way. → background, foreground, ending, ended (the container is lost)
    case leaving
    /// Asked to terminate; the release is under way. → ended
    case ending
    /// Nothing follows.
    case ended
  }

  /// How often a handover request is repeated while waiting: a lost one costs time, not a payment.
  static let askAgainAfter = TimeSpan.seconds(1)

  var place = Place.background
  package var ownership: Ownership
  var presence = Presence(role: .app)
  var askAt: Instant?
  private var shown: Status?
  private var isNetworkThere = true
  private var open: [ConnectionTarget] = []
  /// Set while the app cannot continue without the user.
  var halted: Status?
  private var endReason = EndReason.terminated
  /// The app holds its intent lock, so the extension releases the node. In the background only for work begun in the
  /// foreground; a silent push displaces no extension.
  var isIntentRaised = false
  var tasks = LongLivedTasks()
  var silentPush = SilentPushHandler()
  /// The number of the background task that the app has begun and not ended.
  var backgroundTask: UInt64?
  var backgroundTasksAsked: UInt64 = 0
  /// The background task was begun for a silent push: no work continues under it once the push is over.
  var isTaskOfPush = false
  let silentPushTask: String?

  public init(configuration: GuardConfiguration) {
    silentPushTask = configuration.silentPushTask
    ownership = Ownership(role: .app, takeover: configuration.takeover, timing: configuration.timing)
  }

  /// The names of the tasks that keep the app in the background.
  public var taskNames: [String] { tasks.names }
  /// A task named by the wallet is pending.
  public var hasNamedTask: Bool { tasks.hasNamed }

  public var deadline: Instant? {
    [ownership.deadline, askAt, tasks.deadline, silentPush.deadline(isBusy: isBusy)].compactMap { $0 }.min()
  }

  public mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard place != .ended else { return [] }
    ownership.endOldMoveRequest(at: now)
    if case .presenceHeard(let message) = event, presence.heard(message.code) == .ignored { return [] }
    var directives = react(to: event, at: now)
    let before = ownership.activity
    directives += ownership.handle(event, at: now)
    noteTasks(event, wasBusyWith: before, at: now)
    noteSilentPush(event, at: now)
    directives += leaveWithoutTasks(at: now)
    directives += afterOwnership(at: now)
    directives += askForHandover(at: now)
    directives += showChange() + sayWhatMayConnect()
    return directives
  }

  // MARK: The phone, the user, the other process

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    if let sentence = event.lossOfContainer { return containerLost(sentence) }
    switch event {
    case .launched: return say(presence.resume())
    case .enteredForeground: return enteredForeground(at: now)
    case .enteredBackground: return enteredBackground(at: now)
    case .silentPushArrived(let push):
      return needArrived(
        .push(push.id), mayConcernPayment: push.reason.mayConcernPayment, time: push.time,
        under: silentPushTask, at: now)
    // The scheduled task keeps the app awake.
    case .nodeWanted(let run, let time):
      return needArrived(.run(run), mayConcernPayment: true, time: time, under: nil, at: now)
    case .networkChanged(let isThere):
      isNetworkThere = isThere
      return []
    case .terminationRequested: return terminationRequested(at: now)
    case .moveRequested: return moveRequested(at: now)
    case .presenceHeard(let message): return heard(message)
    case .node(.refused(let highest, let container)): return refused(highest, container)
    case .node(.received(let payment)): return received(payment)
    default: return []
    }
  }

  var gate: ConnectionGate {
    ConnectionGate(
      isInBackground: place != .foreground,
      tasks: place == .staying ? tasks.count + silentPush.needs.count : 0,
      isNetworkThere: isNetworkThere, isPeerBarred: ownership.stage != .owning)
  }

  private var wantsNode: Bool { gate.isWanted && halted == nil }

  private mutating func terminationRequested(at now: Instant) -> [GuardDirective] {
    guard place != .ending else { return [] }
    let withdraw = withdrawal
    place = .ending
    askAt = nil
    silentPush.end(of: .askedToEnd)
    return withdraw + ownership.unwant(at: now)
  }

  /// Every later look, claim and write would fail alike; the next start opens the container that is there then.
  private mutating func containerLost(_ sentence: String) -> [GuardDirective] {
    let withdraw = withdrawal
    place = .ending
    endReason = .containerLost
    askAt = nil
    return withdraw + [.phone(.show(.trouble(sentence)))]
  }

  /// An extension that sends presence messages serves a push, so the LSP is reachable.
  private func heard(_ message: PresenceMessage) -> [GuardDirective] {
    guard case .counts(let answer) = presence.heard(message.code) else { return [] }
    return (ownership.isHinderedFromConnecting ? [.node(.endLongPause)] : []) + say(answer)
  }

  /// In the background, post a local notification: the LSP sends no push to a connected wallet. If an earlier push is
  /// still in flight, its notification replaces this one.
  private func received(_ payment: ReceivedPayment) -> [GuardDirective] {
    place == .foreground ? [] : [.wallet(.notify(payment))]
  }

  private mutating func refused(_ highest: Epoch, _ container: ContainerID) -> [GuardDirective] {
    switch ownership.answer(toHighest: highest, of: container) {
    case .raise, .takePlace, nil: return []
    case .otherDevice: return halt(.usedByAnotherDevice)
    case .outOfReach: return halt(.peerOutOfReach(highest: highest))
    }
  }

  /// The user asks to move the wallet: the app retries after a halt, and the next refusal is answered by taking over.
  private mutating func moveRequested(at now: Instant) -> [GuardDirective] {
    guard place == .foreground, !ownership.isEstablished else { return [] }
    let look = ownership.moveHere(at: now)
    guard halted != nil else { return look }
    halted = nil
    isIntentRaised = true
    return [.container(.raiseIntent)] + say(PresenceCode(.app, .ping)) + look
  }

  /// The app cannot continue without the user. It does not want the node meanwhile, so that no process waits for it.
  private mutating func halt(_ why: Status) -> [GuardDirective] {
    halted = why
    silentPush.end(of: .halted(why))
    return withdrawal
  }

  var withdrawal: [GuardDirective] {
    mutating get {
      defer { isIntentRaised = false }
      return isIntentRaised ? [.container(.withdrawIntent)] : []
    }
  }

  // MARK: After each change of ownership

  private mutating func afterOwnership(at now: Instant) -> [GuardDirective] {
    // The node's tasks have ended with the ownership.
    _ = ownership.takeFencedNotice()
    guard ownership.isIdle else { return [] }
    let released = ownership.takeReleasedEpoch()
    switch place {
    case .foreground:
      // Fenced, or home and reopened within one release: looks again like a new process.
      return wantsNode ? ownership.want(at: now) : []
    case .leaving:
      place = .background
      return say(presence.suspend(), released: released) + silentPush.complete() + endBackgroundTask()
    case .ending:
      place = .ended
      return say(presence.suspend(), released: released) + silentPush.complete() + [.phone(.end(endReason))]
    case .background, .staying, .ended: return []
    }
  }

  private mutating func askForHandover(at now: Instant) -> [GuardDirective] {
    guard case .holder(let row) = ownership.waitsFor, row.role == .extension, isIntentRaised else {
      askAt = nil
      return []
    }
    if let askAt, now < askAt { return [] }
    askAt = now + Self.askAgainAfter
    return [
      .phone(.say(PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true)))
    ]
  }

  func say(_ code: PresenceCode?, released: Epoch? = nil) -> [GuardDirective] {
    guard let code else { return [] }
    return [.phone(.say(PresenceMessage(code: code, wantsNode: isIntentRaised, released: released)))]
  }

  private mutating func sayWhatMayConnect() -> [GuardDirective] {
    let now = gate.open
    guard now != open, place != .ended else { return [] }
    open = now
    return [.phone(.mayConnect(now))]
  }

  private mutating func showChange() -> [GuardDirective] {
    let status = ownership.isIdle ? halted ?? .idle : ownership.status
    guard status != shown, place != .ended else { return [] }
    shown = status
    return [.phone(.show(status))]
  }
}

// The app going to the foreground and the background: what keeps it running there, and how it releases the node.
extension AppMachine {
  mutating func enteredForeground(at now: Instant) -> [GuardDirective] {
    let wasSuspended = presence.isSuspended
    let wasStaying = place == .staying
    switch place {
    case .background, .staying, .leaving: place = .foreground
    case .foreground, .ending, .ended: return []
    }
    let done = silentPush.complete() + endBackgroundTask()
    if wasStaying && isIntentRaised && halted == nil { return done }
    halted = nil
    isIntentRaised = true
    let ping = wasSuspended ? presence.resume() : PresenceCode(.app, .ping)
    return done + [.container(.raiseIntent)] + say(ping) + ownership.want(at: now)
  }

  mutating func enteredBackground(at now: Instant) -> [GuardDirective] {
    // The phone waits for the answer. The app holds nothing, so it answers at once.
    if place == .background { return [.phone(.backgroundDone)] }
    guard place == .foreground else { return [] }
    // The background task begins before the release: iOS kills an app that is suspended with a lock in a shared
    // container.
    let time = [beginBackgroundTask(named: tasks.name), .phone(.backgroundDone)]
    guard tasks.isEmpty || halted != nil else {
      place = .staying
      return time
    }
    return time + leave(at: now)
  }

  mutating func leave(at now: Instant) -> [GuardDirective] {
    place = .leaving
    askAt = nil
    let withdraw = withdrawal
    let ping = withdraw.isEmpty ? [] : say(PresenceCode(.app, .ping))
    return withdraw + ping + ownership.unwant(at: now)
  }

  // MARK: Silent pushes

  /// The phone launched the app in the background for a silent push: a payment may be pending. Takes the node if it is
  /// free.
  private mutating func needArrived(
    _ need: BackgroundNeed, mayConcernPayment: Bool, time: TimeSpan?, under name: String?, at now: Instant
  ) -> [GuardDirective] {
    if silentPush.needs.contains(need) { return [] }
    // The phone may suspend the app as soon as it completes this push: an earlier one may have expired while the app
    // was frozen. So no push is completed before the release.
    let isKeptAwake = !silentPush.needs.isEmpty && !mayConcernPayment
    if place == .leaving || place == .ending || isKeptAwake {
      silentPush.join(need)
      return []
    }
    guard mayConcernPayment, place == .background || place == .staying else { return [need.met(.noData)] }
    // Only the user can resolve a halt, so a push cannot.
    if let halted { return [.phone(.noteFailure(.halted(halted))), need.met(.failed)] }
    silentPush.begin(need, time: time, isEstablished: ownership.isEstablished, at: now)
    let task = beginTaskOfPush(named: name)
    guard place == .background else { return task }
    place = .staying
    return task + say(presence.isSuspended ? presence.resume() : nil) + ownership.want(at: now)
  }

  /// A silent push's own background task: its name says what the app does, and the phone warns the app before the
  /// task's time is over. Begun before the look, so that the app has no lock without it.
  private mutating func beginTaskOfPush(named name: String?) -> [GuardDirective] {
    guard let name, backgroundTask == nil else { return [] }
    isTaskOfPush = true
    return [beginBackgroundTask(named: name)]
  }

  /// A silent push is not completed yet.
  public var handlesSilentPush: Bool { !silentPush.needs.isEmpty }

  /// The node is busy, so the silent push is not completed yet.
  var isBusy: Bool { ownership.activity != .nothing }

  mutating func noteSilentPush(_ event: GuardEvent, at now: Instant) {
    guard !silentPush.needs.isEmpty else { return }
    // Another process holds the node and receives the pending payment.
    if case .holder = ownership.waitsFor { return silentPush.stopWaiting() }
    if let raise = ownership.failedRaise { return silentPush.end(of: .container(raise.trouble)) }
    switch event {
    case .expiryWarned(let push): if silentPush.needs.contains(.push(push)) { silentPush.timeOut() }
    case .runExpired(let run): if silentPush.needs.contains(.run(run)) { silentPush.timeOut() }
    default: silentPush.note(event, isBusy: isBusy, at: now)
    }
  }

  // MARK: Tasks

  mutating func noteTasks(_ event: GuardEvent, wasBusyWith before: NodeActivity, at now: Instant) {
    tasks.follow(ownership.activity, since: before, at: now)
    guard place != .ending else { return tasks.endAll() }
    switch event {
    case .taskBegan(let task): tasks.begin(.named(task.name), generation: task.generation, at: now)
    case .taskEnded(let task): tasks.end(.named(task.name), generation: task.generation)
    // Ends tasks that are still pending too: iOS kills an app that keeps its background task.
    case .backgroundTimeExpired(let task) where task == backgroundTask:
      tasks.endAll()
      silentPush.timeOut()
    case .deadlineReached: tasks.endOverdue(at: now)
    default: break
    }
  }

  /// Leaves when the last task has ended, or when the node is lost and no task can continue.
  mutating func leaveWithoutTasks(at now: Instant) -> [GuardDirective] {
    guard place == .staying else { return [] }
    let done = endSilentPush()
    let hasNothingToDo = tasks.isEmpty && silentPush.isOver
    guard hasNothingToDo || ownership.isIdle || halted != nil else { return done }
    tasks.endAll()
    return done + leave(at: now)
  }

  /// Ends a silent push that is over. Without a background task begun on the way home the push alone kept the app
  /// awake: pending tasks are left to the next owner and the push is completed after the release. With one the app
  /// continues and completes it now.
  private mutating func endSilentPush() -> [GuardDirective] {
    guard silentPush.isOver, !silentPush.needs.isEmpty else { return [] }
    if backgroundTask == nil || isTaskOfPush { tasks.endAll() }
    return tasks.isEmpty ? [] : silentPush.complete()
  }

  private mutating func beginBackgroundTask(named name: String?) -> GuardDirective {
    backgroundTasksAsked &+= 1
    backgroundTask = backgroundTasksAsked
    return .phone(.beginBackgroundTask(backgroundTasksAsked, name: name))
  }

  mutating func endBackgroundTask() -> [GuardDirective] {
    guard let task = backgroundTask else { return [] }
    backgroundTask = nil
    isTaskOfPush = false
    return [.phone(.endBackgroundTask(task))]
  }
}

/// The targets of a wallet's connections.
public enum ConnectionTarget: String, Hashable, Codable, Sendable, CaseIterable {
  /// The Lightning peer.
  case peer
  case electrum
  /// Exchange rates and the like.
  case http
  case tor
}

/// Which connections of a wallet may be open.
///
/// The background is one vote against, each task of the app one vote for. Not owning the node is a veto for the peer
/// alone, which no votes outweigh. The sum is computed anew each time, so no vote is counted twice or forgotten.
public struct ConnectionGate: Hashable, Codable, Sendable {
  public var isInBackground: Bool
  public var tasks: Int
  public var isNetworkThere: Bool
  /// This process does not own the node.
  public var isPeerBarred: Bool

  /// The votes alone: whether the app wants to be connected.
  public var isWanted: Bool { (isInBackground ? 1 : 0) - tasks <= 0 }

  public func mayOpen(_ target: ConnectionTarget) -> Bool {
    isWanted && isNetworkThere && !(target == .peer && isPeerBarred)
  }

  /// The targets that may be open, in their order.
  public var open: [ConnectionTarget] { ConnectionTarget.allCases.filter(mayOpen) }
}
