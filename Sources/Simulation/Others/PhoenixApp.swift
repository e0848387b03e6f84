import Ground
import Guardrails

/// Phoenix's app, as its public source has it: votes decide whether the node is connected, one of them is a fresh beat
/// of the extension, and messages only tell the extension that the app is there.
public struct PhoenixApp: OtherMachine {
  /// A beat that is younger, by the wall clock, is a vote against a connection.
  static let freshFor = TimeSpan.seconds(5)
  /// How long a task at most holds the app awake.
  static let taskBound = TimeSpan.seconds(180)

  private enum Node: Hashable, Sendable { case stopped, running, stopping }
  private enum Look: Hashable, Sendable { case none, forBeats, forTheEnd }

  /// For and against a connection: it is made when the sum is not above zero.
  private var votes = 0
  private var isInBackground = false
  private var isWalletLoaded = false
  private var extensionSeemsConnected = false
  private var hasSeenBeat = false
  private var look = Look.none
  /// When the beat that was seen is old enough, and which it was, by the wall clock.
  private var recheckAt: Instant?
  private var recheckStamp: Instant?
  private var taskEndsAt: Instant?
  private var node = Node.stopped
  private(set) var entry: Entry?
  private var presence = Presence(role: .app)
  /// Under which the phone was asked for time, while there is a task, and the last such number.
  private var backgroundTask: UInt64?
  private var backgroundTasksAsked: UInt64 = 0
  private var isEnding = false
  private var hasEnded = false
  private var shown: Status?
  private var connection: Status = .idle

  var isKeptWaiting: Bool { !isInBackground && !isEnding && node == .stopped }
  /// It goes on in the background, and says nothing there.
  var isHiddenAtWork: Bool { isInBackground && node == .running }
  var hasTask: Bool { taskEndsAt != nil }

  var deadline: Instant? {
    [look == .none ? recheckAt : nil, taskEndsAt].compactMap { $0 }.min()
  }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    return react(to: event, at: now) + settle() + showChange()
  }

  mutating func task(isOn: Bool, at now: Instant) -> [GuardDirective] {
    guard isOn != hasTask, !hasEnded else { return [] }
    votes += isOn ? -1 : 1
    taskEndsAt = isOn ? now + Self.taskBound : nil
    return time(isOn: isOn) + settle() + showChange()
  }

  private mutating func time(isOn: Bool) -> [GuardDirective] {
    guard isOn else {
      defer { backgroundTask = nil }
      return backgroundTask.map { [.endBackgroundTask($0)] } ?? []
    }
    backgroundTasksAsked &+= 1
    backgroundTask = backgroundTasksAsked
    return [.beginBackgroundTask(backgroundTasksAsked)]
  }

  // MARK: What happens

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .launched:
      // The wallet is loaded, and with it comes the first look at the extension's beat.
      look = .forBeats
      return say(presence.resume()) + [.look]
    case .enteredForeground:
      guard isInBackground else { return [] }
      isInBackground = false
      votes -= 1
      return say(presence.resume())
    case .enteredBackground:
      guard !isInBackground else { return [.backgroundDone] }
      isInBackground = true
      votes += 1
      return say(presence.suspend()) + [.backgroundDone]
    case .backgroundTimeExpired: return task(isOn: false, at: now)
    case .presenceHeard(let message):
      guard case .counts(let answer?) = presence.heard(message.code) else { return [] }
      return say(answer)
    case .observed(let observation): return observed(observation, at: now)
    case .deadlineReached: return deadlineReached(at: now)
    case .terminationRequested:
      isEnding = true
      return []
    case .node(.established): connection = .connected(1)
    case .node(.connecting): connection = .connecting(1)
    case .node(.stopped):
      connection = .idle
      node = .stopped
    default: break
    }
    return []
  }

  private mutating func deadlineReached(at now: Instant) -> [GuardDirective] {
    var directives: [GuardDirective] = []
    if let taskEndsAt, taskEndsAt <= now { directives += task(isOn: false, at: now) }
    if let recheckAt, recheckAt <= now, look == .none {
      self.recheckAt = nil
      look = .forTheEnd
      directives.append(.look)
    }
    return directives
  }

  /// A beat was written, or it is time to see whether one was.
  private mutating func observed(_ observation: Observation, at now: Instant) -> [GuardDirective] {
    let purpose = look
    look = .none
    isWalletLoaded = true
    let stamp = observation.beat?.bootClock
    if purpose == .forTheEnd, stamp != nil, stamp == recheckStamp {
      // It has not changed for 5 s. Whoever writes one between this look and the next step has it wiped out.
      extensionIs(connected: false)
      return [.beat(epoch: 1, phase: .released, counter: 0)]
    }
    guard let stamp else {
      extensionIs(connected: false)
      return []
    }
    hasSeenBeat = true
    let age = observation.bootClock - stamp
    let isFresh = age < Self.freshFor
    extensionIs(connected: isFresh)
    if isFresh {
      recheckStamp = stamp
      recheckAt = now + (Self.freshFor + TimeSpan(nanoseconds: -age.nanoseconds))
    }
    return []
  }

  private mutating func extensionIs(connected: Bool) {
    if connected != extensionSeemsConnected { votes += connected ? 1 : -1 }
    extensionSeemsConnected = connected
  }

  // MARK: What follows

  private mutating func settle() -> [GuardDirective] {
    let shouldRun = isWalletLoaded && votes <= 0 && !isEnding
    switch node {
    case .stopped where shouldRun:
      node = .running
      connection = .connecting(1)
      entry = extensionSeemsConnected ? .outvoted : hasSeenBeat ? .sawOld : .sawNothing
      return [.startNode(.ofOthers)]
    case .running where !shouldRun:
      node = .stopping
      return [.stopNode(gracefully: false)]
    case .stopped where isEnding:
      hasEnded = true
      return [.end(.terminated)]
    case .stopped, .running, .stopping: return []
    }
  }

  private func say(_ code: PresenceCode?) -> [GuardDirective] {
    code.map { [.say(PresenceMessage(code: $0))] } ?? []
  }

  private mutating func showChange() -> [GuardDirective] {
    let status = node == .stopped && extensionSeemsConnected ? .waitingForExtension : connection
    guard status != shown, !hasEnded else { return [] }
    shown = status
    return [.show(status)]
  }
}

extension PhoenixApp: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    recheckAt.shift(by: span)
    recheckStamp.shift(by: span)
    taskEndsAt.shift(by: span)
  }
}
