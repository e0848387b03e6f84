import Ground

/// The app's side of the guardrails.
///
/// In the foreground the app wants the node: it holds the intent lock and says so in a presence message. In the
/// background it keeps the node only for pending work, and releases everything before it ends its background task.
/// While another process holds the node, the app shows why it waits and asks an extension for a handover.
public struct AppMachine: GuardMachine {
  public static let name = "guard-app"
  public static let role = Role.app

  enum Place: Hashable, Codable, Sendable {
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
    case .silentPushArrived(let push): return silentPushArrived(push, under: silentPushTask, at: now)
    // The scheduled task keeps the app awake.
    case .nodeWanted(let run, let time):
      return silentPushArrived(
        Push(id: run, reason: .incomingPayment, time: time), under: nil, at: now)
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
      tasks: place == .staying ? tasks.count + silentPush.pushes.count : 0,
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
    return withdraw + [.show(.trouble(sentence))]
  }

  /// An extension that sends presence messages serves a push, so the LSP is reachable.
  private func heard(_ message: PresenceMessage) -> [GuardDirective] {
    guard case .counts(let answer) = presence.heard(message.code) else { return [] }
    return (ownership.isHinderedFromConnecting ? [.endLongPause] : []) + say(answer)
  }

  /// In the background, post a local notification: the LSP sends no push to a connected wallet. If an earlier push is
  /// still in flight, its notification replaces this one.
  private func received(_ payment: ReceivedPayment) -> [GuardDirective] {
    place == .foreground ? [] : [.notify(payment)]
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
    return [.raiseIntent] + say(PresenceCode(.app, .ping)) + look
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
      return isIntentRaised ? [.withdrawIntent] : []
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
      return say(presence.suspend(), released: released) + silentPush.complete() + [.end(endReason)]
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
      .say(PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true))
    ]
  }

  func say(_ code: PresenceCode?, released: Epoch? = nil) -> [GuardDirective] {
    guard let code else { return [] }
    return [.say(PresenceMessage(code: code, wantsNode: isIntentRaised, released: released))]
  }

  private mutating func sayWhatMayConnect() -> [GuardDirective] {
    let now = gate.open
    guard now != open, place != .ended else { return [] }
    open = now
    return [.mayConnect(now)]
  }

  private mutating func showChange() -> [GuardDirective] {
    let status = ownership.isIdle ? halted ?? .idle : ownership.status
    guard status != shown, place != .ended else { return [] }
    shown = status
    return [.show(status)]
  }
}
