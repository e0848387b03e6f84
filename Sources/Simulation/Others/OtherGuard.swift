import Ground
import Guardrails
import LightningChannel
import LightningNode

/// What a process knew of the other one when it started its node.
enum Entry: Hashable, Sendable {
  /// There was no sign of life.
  case sawNothing
  /// The last sign of life was too old.
  case sawOld
  /// There was a fresh sign of life, but more votes for a connection.
  case outvoted
  /// It did not look.
  case didNotLook
  /// There was a fresh sign of life, but it had waited long enough.
  case insisted
}

/// One side of another product's coordination. It uses our guard's events and directives; `World+Others.swift` gives
/// them that coordination's meaning.
protocol OtherMachine: Hashable, Sendable, Shiftable {
  var deadline: Instant? { get }
  var entry: Entry? { get }
  /// The app is in front, and its node does not run.
  var isKeptWaiting: Bool { get }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective]
}

extension Claim {
  /// The other schemes have no epochs: every start of their nodes has this claim.
  static let ofOthers = Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 0xC0, low: 1))
}

/// The other schemes' machines as one value. Before a node starts, its state is read from the container, as a claim
/// does in Baton's guards.
public struct OtherGuard: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case phoenixApp(PhoenixApp)
    case phoenixExtension(PhoenixExtension)
    case leaseApp(LeaseApp)
    case leaseExtension(LeaseExtension)
  }

  private(set) var kind: Kind
  /// The node starts when the read is answered.
  private var isReading = false
  /// Its node has sent `channel_reestablish`, and has no order to stop.
  private(set) var isDriving = false
  /// Its node has learned from the peer that its channel state is an old one.
  private(set) var isBehindPeer = false
  /// The process was frozen and thawed.
  private(set) var hasThawed = false
  /// The channel in its memory when it took the lease.
  var channelOfLease: Channel?

  init?(_ coordination: Coordination, _ role: Role) {
    switch (coordination.scheme, role) {
    case (.claims, _): return nil
    case (.votes(let seesBeats), .app): kind = .phoenixApp(PhoenixApp(seesBeats: seesBeats))
    case (.votes, .extension): kind = .phoenixExtension(PhoenixExtension())
    case (.lease(let terms), .app): kind = .leaseApp(LeaseApp(terms))
    case (.lease(let terms), .extension): kind = .leaseExtension(LeaseExtension(terms))
    }
  }

  mutating func drives() { isDriving = true }
  mutating func thawed() { hasThawed = true }

  var deadline: Instant? { machine.deadline }

  /// The app has a background task.
  var hasTask: Bool { if case .phoenixApp(let app) = kind { app.hasTask } else { false } }

  /// The app's node runs in the background, where the app sends no message.
  var isHiddenAtWork: Bool { if case .phoenixApp(let app) = kind { app.isHiddenAtWork } else { false } }

  var machine: any OtherMachine {
    switch kind {
    case .phoenixApp(let machine): machine
    case .phoenixExtension(let machine): machine
    case .leaseApp(let machine): machine
    case .leaseExtension(let machine): machine
    }
  }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    if event == .node(.trouble(NodeMachine.peerIsAhead)) { isBehindPeer = true }
    let directives = decide(event, at: now)
    if directives.contains(where: { if case .stopNode = $0 { true } else { false } }) { isDriving = false }
    return directives
  }

  private mutating func decide(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .claimed(.ofOthers) where isReading:
      isReading = false
      return [.startNode(.ofOthers)]
    case .taskBegan: return task(isOn: true, at: now)
    case .taskEnded: return task(isOn: false, at: now)
    default: return reading(change { $0.handle(event, at: now) })
    }
  }

  /// The app begins or ends a background task. Only Phoenix has such tasks.
  private mutating func task(isOn: Bool, at now: Instant) -> [GuardDirective] {
    guard case .phoenixApp(var app) = kind else { return [] }
    let directives = app.task(isOn: isOn, at: now)
    kind = .phoenixApp(app)
    return reading(directives)
  }

  private mutating func reading(_ directives: [GuardDirective]) -> [GuardDirective] {
    directives.map { directive in
      guard case .startNode = directive else { return directive }
      isReading = true
      return .readRow
    }
  }

  private mutating func change<Answer>(_ body: (inout any OtherMachine) -> Answer) -> Answer {
    var any = machine
    defer {
      switch any {
      case let machine as PhoenixApp: kind = .phoenixApp(machine)
      case let machine as PhoenixExtension: kind = .phoenixExtension(machine)
      case let machine as LeaseApp: kind = .leaseApp(machine)
      case let machine as LeaseExtension: kind = .leaseExtension(machine)
      default: preconditionFailure("there is no other machine")
      }
    }
    return body(&any)
  }
}

extension OtherGuard: Shiftable {
  public mutating func shift(by span: TimeSpan) { change { $0.shift(by: span) } }
}
