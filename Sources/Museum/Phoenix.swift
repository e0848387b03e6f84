import Ground
import Guardrails
import Heartbeat
import Simulation

/// Phoenix's app, after its public source: votes decide whether the node connects; a fresh beat of the extension is
/// one vote, and presence messages only tell the extension that the app runs.
struct PhoenixApp: Side {
  /// A beat younger than this, by the wall clock, is a vote against a connection.
  static let freshFor = TimeSpan.seconds(5)
  /// How long a task keeps the app awake at most.
  static let taskBound = TimeSpan.seconds(180)

  /// The app notices each beat; otherwise it reads the beat at its start and when that beat is 5 s old.
  private let seesBeats: Bool
  var notes = SideNotes()

  private enum Look: Hashable, Sendable { case none, forBeats, forTheEnd }

  /// Votes against minus votes for a connection: the node connects unless the sum is above zero.
  private var votes = 0
  private var isInBackground = false
  private var isWalletLoaded = false
  private var extensionSeemsConnected = false
  private var hasSeenBeat = false
  private var look = Look.none
  /// When the last seen beat will be stale, and that beat's stamp by the wall clock.
  private var recheckAt: Instant?
  private var recheckStamp: Instant?
  private var taskEndsAt: Instant?
  private var node = NodeStage.stopped
  private(set) var entry: Entry?
  private var presence = Presence(role: .app)
  /// The number of the background task requested from the phone, and the last such number.
  private var backgroundTask: UInt64?
  private var backgroundTasksAsked: UInt64 = 0
  private var isEnding = false
  private var hasEnded = false
  private var shown: Status?
  private var connection: Status = .idle

  init(seesBeats: Bool) { self.seesBeats = seesBeats }

  var isKeptWaiting: Bool { !isInBackground && !isEnding && node == .stopped }
  /// Its node runs in the background, where it sends no message.
  var isHiddenAtWork: Bool { isInBackground && node == .running }
  var hasTask: Bool { taskEndsAt != nil }

  var deadline: Instant? { [look == .none ? recheckAt : nil, taskEndsAt].compactMap { $0 }.min() }

  mutating func decide(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    return react(to: event, at: now) + settle() + showChange()
  }

  private mutating func task(isOn: Bool, at now: Instant) -> [GuardDirective] {
    guard isOn != hasTask, !hasEnded else { return [] }
    votes += isOn ? -1 : 1
    taskEndsAt = isOn ? now + Self.taskBound : nil
    return time(isOn: isOn) + settle() + showChange()
  }

  private mutating func time(isOn: Bool) -> [GuardDirective] {
    guard isOn else {
      defer { backgroundTask = nil }
      return backgroundTask.map { [.phone(.endBackgroundTask($0))] } ?? []
    }
    backgroundTasksAsked &+= 1
    backgroundTask = backgroundTasksAsked
    return [.phone(.beginBackgroundTask(backgroundTasksAsked))]
  }

  // MARK: Events

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .launched:
      // Loading the wallet includes the first look at the extension's beat.
      look = .forBeats
      return say(presence.resume()) + [.container(.look)]
    case .enteredForeground:
      guard isInBackground else { return [] }
      isInBackground = false
      votes -= 1
      return say(presence.resume())
    case .enteredBackground:
      guard !isInBackground else { return [.phone(.backgroundDone)] }
      isInBackground = true
      votes += 1
      return say(presence.suspend()) + [.phone(.backgroundDone)]
    case .taskBegan: return task(isOn: true, at: now)
    case .taskEnded, .backgroundTimeExpired: return task(isOn: false, at: now)
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
      directives.append(.container(.look))
    }
    return directives
  }

  /// A beat was written, or it is time to check whether one was.
  private mutating func observed(_ observation: Observation, at now: Instant) -> [GuardDirective] {
    let purpose = look
    look = .none
    isWalletLoaded = true
    let stamp = observation.beat?.bootClock
    if purpose == .forTheEnd, stamp != nil, stamp == recheckStamp {
      // Unchanged for 5 s. A beat written between this look and the next step is erased.
      extensionIs(connected: false)
      return [.container(.beat(epoch: 1, phase: .released, counter: 0))]
    }
    if purpose == .forTheEnd, !seesBeats { return [] }
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

  // MARK: Decisions

  private mutating func settle() -> [GuardDirective] {
    let shouldRun = isWalletLoaded && votes <= 0 && !isEnding
    switch node {
    case .stopped where shouldRun:
      node = .running
      connection = .connecting(1)
      entry = extensionSeemsConnected ? .outvoted : hasSeenBeat ? .sawOld : .sawNothing
      return [.node(.startNode(.ofOthers))]
    case .running where !shouldRun:
      node = .stopping
      return [.node(.stopNode(gracefully: false))]
    case .stopped where isEnding:
      hasEnded = true
      return [.phone(.end(.terminated))]
    case .stopped, .running, .stopping: return []
    }
  }

  private mutating func showChange() -> [GuardDirective] {
    let status = node == .stopped && extensionSeemsConnected ? .waitingForExtension : connection
    guard status != shown, !hasEnded else { return [] }
    shown = status
    return [.phone(.show(status))]
  }

  mutating func shift(by span: TimeSpan) {
    recheckAt.shift(by: span)
    recheckStamp.shift(by: span)
    taskEndsAt.shift(by: span)
  }
}

/// Phoenix's extension, after its public source: it connects at once, beats once it is connected, and yields only if
/// the app's message comes before that.
struct PhoenixExtension: Side {
  static let totalTime = TimeSpan.milliseconds(29_500)
  static let idleTime = TimeSpan.seconds(5)
  static let beatInterval = TimeSpan.seconds(2)

  private struct Serving: Hashable, Sendable {
    var push: Push
    var totalEnds: Instant
    var idleEnds: Instant?
    var received: [ReceivedPayment] = []

    var endsBy: Instant { min(totalEnds, idleEnds ?? totalEnds) }
  }

  var notes = SideNotes()
  private var serving: Serving?
  private var waiting: [Push] = []
  private var isNodeRunning = false
  private var isConnected = false
  private var nextBeat: Instant?
  private var presence = Presence(role: .extension)
  private var isEnding = false
  private(set) var entry: Entry?

  var deadline: Instant? { [serving?.endsBy, nextBeat].compactMap { $0 }.min() }

  mutating func decide(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .pushArrived(let push):
      waiting.append(push)
      return serveNext(at: now)
    case .presenceHeard(let message): return heard(message, at: now)
    case .node(let report): return node(report, at: now)
    case .deadlineReached: return deadlineReached(at: now)
    case .expiryWarned(let push) where push == serving?.push.id: return finish(.timeWillExpire, at: now)
    case .terminationRequested:
      isEnding = true
      return serving == nil ? [.phone(.end(.terminated))] : finish(.terminated, at: now)
    default: return []
    }
  }

  private mutating func serveNext(at now: Instant) -> [GuardDirective] {
    guard serving == nil, !isNodeRunning, !waiting.isEmpty else { return [] }
    let push = waiting.removeFirst()
    serving = Serving(push: push, totalEnds: now + Self.totalTime)
    guard push.reason != .unreadable else { return finish(.unreadablePush, at: now) }
    isNodeRunning = true
    entry = .didNotLook
    return say(presence.resume()) + [.node(.startNode(.ofOthers))]
  }

  /// The app runs: the extension finishes, unless it is connected already.
  private mutating func heard(_ message: PresenceMessage, at now: Instant) -> [GuardDirective] {
    guard case .counts(let answer) = presence.heard(message.code) else { return [] }
    let isThere = message.code.kind != .unavailable
    return say(answer) + (isThere && !isConnected ? finish(.appWantsNode, at: now) : [])
  }

  private mutating func node(_ report: NodeReport, at now: Instant) -> [GuardDirective] {
    switch report {
    case .established:
      isConnected = true
      guard nextBeat == nil, serving != nil else { return [] }
      return beat(at: now)
    case .connecting: isConnected = false
    case .received(let payment):
      serving?.received.append(payment)
      serving?.idleEnds = now + Self.idleTime
    case .stopped:
      isNodeRunning = false
      isConnected = false
      return isEnding ? [.phone(.end(.terminated))] : serveNext(at: now)
    case .busy, .fenced, .refused, .trouble: break
    }
    return []
  }

  /// Beats continue when the connection is lost.
  private mutating func beat(at now: Instant) -> [GuardDirective] {
    nextBeat = now + Self.beatInterval
    return [.container(.beat(epoch: 1, phase: .established, counter: 0))]
  }

  private mutating func deadlineReached(at now: Instant) -> [GuardDirective] {
    if let current = serving, current.endsBy <= now {
      return finish(current.totalEnds <= now ? .totalTime : .idle, at: now)
    }
    guard let nextBeat, nextBeat <= now else { return [] }
    return beat(at: now)
  }

  /// The last beat is not erased.
  private mutating func finish(_ reason: FinishReason, at now: Instant) -> [GuardDirective] {
    guard let finished = serving else { return [] }
    serving = nil
    nextBeat = nil
    let contents: [GuardDirective] =
      finished.received.isEmpty
      ? [.phone(.deliver(push: finished.push.id, .nothingReceived(finished.push.reason)))]
      : [.phone(.deliver(push: finished.push.id, .received(finished.received[0])))]
        + finished.received.dropFirst().map { .wallet(.notify($0)) }
    return say(presence.suspend()) + (isNodeRunning ? [.node(.stopNode(gracefully: false))] : []) + contents
      + [.phone(.finished(push: finished.push.id, reason))]
      + (isEnding && !isNodeRunning ? [.phone(.end(.terminated))] : serveNext(at: now))
  }

  mutating func shift(by span: TimeSpan) {
    serving?.totalEnds.shift(by: span)
    serving?.idleEnds.shift(by: span)
    nextBeat.shift(by: span)
  }
}

private func say(_ code: PresenceCode?) -> [GuardDirective] {
  code.map { [.phone(.say(PresenceMessage(code: $0)))] } ?? []
}
