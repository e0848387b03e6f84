import Ground

/// The app's side of the guardrails.
///
/// In front of the user it wants the node and says so as state (the intent lock) and as a message; in the
/// background it goes on only for work that must not be left half done, and releases everything before it gives the
/// phone its time back. While somebody else holds the node it waits
/// with a text that says why, and asks an extension for a handover.
public struct AppMachine: GuardMachine {
  public static let name = "guard-app"
  public static let role = Role.app

  enum Place: Hashable, Codable, Sendable {
    /// Started, perhaps by the system and never in front. → foreground, staying (a silent push), ended (nothing is held
    /// that would delay it)
    case background
    /// The user looks at it. → staying, leaving, ending; background, ended (nothing was held)
    case foreground
    /// In the background with a task under way, or a silent push. → foreground, leaving, ending; background, ended (nothing was held)
    case staying
    /// In the background; the release is under way. → background, foreground, ending, ended (the container is lost)
    case leaving
    /// Asked to terminate; the release is under way. → ended
    case ending
    /// Nothing follows.
    case ended
  }

  /// How often a request for a handover is repeated while waiting: a lost one may cost time, not a payment.
  static let askAgainAfter = TimeSpan.seconds(1)

  var place = Place.background
  var ownership: Ownership
  var presence = Presence(role: .app)
  var askAt: Instant?
  private var shown: Status?
  private var isNetworkThere = true
  private var open: [ConnectionTarget] = []
  /// Set when waiting is of no use until the user acts.
  var halted: Status?
  private var endReason = EndReason.terminated
  /// The intent is raised, as state: the extension makes room for the app. In the background only for what was begun in
  /// front; a push there is no reason to chase anybody away.
  var isIntentRaised = false
  var tasks = LongLivedTasks()
  var errand = PushErrand()
  /// The number under which the phone was asked for time, while it was not given back.
  var backgroundTask: UInt64?
  var backgroundTasksAsked: UInt64 = 0

  public init(configuration: GuardConfiguration) {
    ownership = Ownership(role: .app, takeover: configuration.takeover, timing: configuration.timing)
  }

  /// The names of the tasks that keep it at work.
  public var taskNames: [String] { tasks.names }
  /// Something that the wallet named itself is under way.
  public var hasNamedTask: Bool { tasks.hasNamed }

  public var deadline: Instant? {
    [ownership.deadline, askAt, tasks.deadline, errand.deadline(isBusy: isBusy)].compactMap { $0 }.min()
  }

  public mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard place != .ended else { return [] }
    ownership.forgetOldMoveWord(at: now)
    if case .presenceHeard(let message) = event, presence.heard(message.code) == .ignored { return [] }
    var directives = react(to: event, at: now)
    let before = ownership.activity
    directives += ownership.handle(event, at: now)
    noteTasks(event, wasBusyWith: before, at: now)
    noteErrand(event, at: now)
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
    case .silentPushArrived(let push): return silentPushArrived(push, at: now)
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
      tasks: place == .staying ? tasks.count + errand.pushes.count : 0,
      isNetworkThere: isNetworkThere, isPeerBarred: ownership.stage != .owning)
  }

  private var wantsNode: Bool { gate.isWanted && halted == nil }

  private mutating func terminationRequested(at now: Instant) -> [GuardDirective] {
    guard place != .ending else { return [] }
    let withdraw = withdrawal
    place = .ending
    askAt = nil
    errand.end(of: .askedToEnd)
    return withdraw + ownership.unwant(at: now)
  }

  /// Every further look, claim and write would fail alike, so the next start is to find what is there.
  private mutating func containerLost(_ sentence: String) -> [GuardDirective] {
    let withdraw = withdrawal
    place = .ending
    endReason = .containerLost
    askAt = nil
    return withdraw + [.show(.trouble(sentence))]
  }

  /// An extension speaks while it serves a push, which its peer has asked for.
  private func heard(_ message: PresenceMessage) -> [GuardDirective] {
    guard case .counts(let answer) = presence.heard(message.code) else { return [] }
    return (ownership.isHinderedFromConnecting ? [.endLongPause] : []) + say(answer)
  }

  /// Who does not look at the app is told otherwise. The peer sends no push to who is connected; should there be one from
  /// before, its text takes this one's place.
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

  /// The user acts: what halted the app is tried again, and what is refused once more is taken.
  private mutating func moveRequested(at now: Instant) -> [GuardDirective] {
    guard place == .foreground, !ownership.isEstablished else { return [] }
    let look = ownership.moveHere(at: now)
    guard halted != nil else { return look }
    halted = nil
    isIntentRaised = true
    return [.raiseIntent] + say(PresenceCode(.app, .ping)) + look
  }

  /// Going on is of no use until the user acts; until then the node is not wanted, so that nobody waits for us.
  private mutating func halt(_ why: Status) -> [GuardDirective] {
    halted = why
    errand.end(of: .halted(why))
    return withdrawal
  }

  var withdrawal: [GuardDirective] {
    mutating get {
      defer { isIntentRaised = false }
      return isIntentRaised ? [.withdrawIntent] : []
    }
  }

  // MARK: What follows from where the ownership stands

  private mutating func afterOwnership(at now: Instant) -> [GuardDirective] {
    // The tasks of its node have ended with the ownership.
    _ = ownership.takeFencedNotice()
    guard ownership.isIdle else { return [] }
    let released = ownership.takeReleasedEpoch()
    switch place {
    case .foreground:
      // Fenced, or pressed home and back within one release: look afresh, with nothing remembered.
      return wantsNode ? ownership.want(at: now) : []
    case .leaving:
      place = .background
      return say(presence.suspend(), released: released) + errand.complete() + giveTimeBack()
    case .ending:
      place = .ended
      return say(presence.suspend(), released: released) + errand.complete() + [.end(endReason)]
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
