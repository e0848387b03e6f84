import Ground
import Guardrails

/// The order in which an app that completes payments opens: the node first, everything else later.
///
/// The same five steps for each cause, so that the journal shows one life of the node for an opened app, a silent push
/// and a scheduled task. It starts nothing: the guard and the node do, and the opening follows them. Deferred work is
/// its own: only for the user, only when the channel is in sync and nothing is awaited, in steps so short that an event
/// never waits for long, and no further step once a payment comes or the user leaves.
public struct Opening: Core {
  public static let name = "opening"
  public static var deadlineReached: OpeningEvent { .deadlineReached }

  /// There are no settings.
  public struct Configuration: Hashable, Codable, Sendable { public init() {} }

  public enum Cause: String, Hashable, Codable, Sendable {
    case user
    case silentPush
    case scheduledTask
  }

  public enum Step: String, Hashable, Codable, Sendable, CaseIterable {
    /// The node is claimed, and its state read.
    case setup
    case start
    /// The connection to the trusted peers: there is one.
    case peers
    /// Both sides tell each other the channel's state, and what was pending is done.
    case sync
    /// What can wait.
    case deferred
  }

  public enum Work: String, Hashable, Codable, Sendable, CaseIterable {
    /// Remove the ended records of incoming payments.
    case incomingRecords
    /// Remove old journals.
    case journals
  }

  /// How far the node is.
  private enum Level: Int, Hashable, Sendable {
    case down, started, dialling, connected
    /// Established, and at work.
    case busy
    case idle
  }

  /// What the peer held arrives within this time after the connection.
  public static let quiet = TimeSpan.seconds(1)
  /// Between two steps: events are handled meanwhile.
  public static let pause = TimeSpan.milliseconds(100)

  private var level = Level.down
  private var cause: Cause?
  private var entered: Step?
  private var areAwaited = false
  /// Not done yet.
  private(set) var works: [Work] = []
  /// The step whose answer is pending.
  private var pending: Work?
  private var nextAt: Instant?

  public init(configuration: Configuration = Configuration()) {}

  public var deadline: Instant? { nextAt }

  public mutating func handle(_ event: OpeningEvent, at now: Instant) -> [OpeningDirective] {
    var directives: [OpeningDirective] = []
    switch event {
    case .deadlineReached: directives = takeIfDue(at: now)
    case .asked(let cause): asked(cause)
    case .left: cause = nil
    case .connecting: level = .started
    case .dialling: level = .dialling
    case .dialled: level = .connected
    case .shown(let status): shown(status)
    case .paymentsAwaited(let areAwaited): self.areAwaited = areAwaited
    case .workCame(let work): if !works.contains(work) { works.append(work) }
    case .stepDone(let work, let result): stepDone(work, result, at: now)
    }
    directives += enter()
    schedule(at: now)
    return directives
  }

  /// The user's opening replaces every other; another cause joins an opening that is under way.
  private mutating func asked(_ cause: Cause) {
    guard cause == .user || self.cause == nil else { return }
    self.cause = cause
    entered = nil
    if cause == .user { for work in Work.allCases where !works.contains(work) { works.append(work) } }
  }

  private mutating func shown(_ status: Status) {
    switch status {
    case .connected: level = .idle
    case .settling: level = .busy
    case .connecting, .hinderedFromConnecting: if level == .busy || level == .idle { level = .started }
    case .idle, .releasing:
      level = .down
      // The node of a push or a task is given back.
      if cause != .user { cause = nil }
    default: level = .down
    }
  }

  // MARK: Steps

  private var reached: Step {
    switch level {
    case .down: .setup
    case .started: .start
    case .dialling: .peers
    case .connected, .busy, .idle: .sync
    }
  }

  /// After a lost connection the steps from there on come again.
  private mutating func enter() -> [OpeningDirective] {
    guard cause != nil else { return [] }
    let steps = Step.allCases
    guard let goal = steps.firstIndex(of: reached) else { return [] }
    let last = entered.flatMap { steps.firstIndex(of: $0) } ?? -1
    if last > goal, !(entered == .deferred && reached == .sync) { entered = reached }
    guard last < goal else { return [] }
    entered = reached
    return steps[(last + 1)...goal].map { .enter($0) }
  }

  // MARK: Deferred work

  private var mayWork: Bool { cause == .user && level == .idle && !areAwaited }

  /// Anything that is more important ends the wait, which then begins anew.
  private mutating func schedule(at now: Instant) {
    guard mayWork, pending == nil, !works.isEmpty else { return nextAt = nil }
    if nextAt == nil { nextAt = now + Self.quiet }
  }

  private mutating func takeIfDue(at now: Instant) -> [OpeningDirective] {
    guard mayWork, pending == nil, let due = nextAt, due <= now, let work = works.first else { return [] }
    nextAt = nil
    pending = work
    guard entered != .deferred else { return [.take(work)] }
    entered = .deferred
    return [.enter(.deferred), .take(work)]
  }

  /// A step that failed is tried again when the app opens again.
  private mutating func stepDone(_ work: Work, _ result: BackgroundStep, at now: Instant) {
    guard pending == work else { return }
    pending = nil
    switch result {
    case .done, .failed: works.removeAll { $0 == work }
    case .goesOn, .busy: break
    }
    if mayWork { nextAt = now + Self.pause }
  }
}

extension Opening: Shiftable {
  package mutating func shift(by span: TimeSpan) { nextAt.shift(by: span) }
}
