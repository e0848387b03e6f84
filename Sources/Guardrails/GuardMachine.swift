import Ground
import Heartbeat

/// What both machines have in common, so that a wallet can use either.
public protocol GuardMachine: Core
where Configuration == GuardConfiguration, Event == GuardEvent, Directive == GuardDirective {
  static var role: Role { get }
}

extension GuardMachine {
  public static var deadlineReached: GuardEvent { .deadlineReached }
}

public struct GuardConfiguration: Hashable, Codable, Sendable {
  public var takeover: Takeover
  public var timing: HeartbeatTiming
  /// The name of the background task under which the app handles a silent push; nil without such a task.
  public var silentPushTask: String?

  public init(takeover: Takeover = .lock, timing: HeartbeatTiming = .standard, silentPushTask: String? = nil)
  {
    self.takeover = takeover
    self.timing = timing
    self.silentPushTask = silentPushTask
  }
}

extension Ownership {
  /// The connection's status for users.
  var status: Status {
    switch state {
    case .idle: .idle
    case .looking(let looking): lookingStatus(looking)
    case .claiming(let looking): looking.trouble.map(troubleStatus) ?? .claiming
    case .owning(let owning): owningStatus(owning)
    case .releasing(let owning, _), .closing(let owning): .releasing(owning.claim.epoch)
    }
  }

  private func lookingStatus(_ looking: Looking) -> Status {
    if let trouble = looking.trouble { return troubleStatus(trouble) }
    switch looking.waitsFor {
    case .holder(let row) where role == .app && row.role == .extension: return .waitingForExtension
    case .holder(let row): return .waitingForOther(pid: row.process.pid)
    case .appGoesFirst: return .appGoesFirst
    case nil: return .claiming
    }
  }

  private func troubleStatus(_ trouble: Trouble) -> Status {
    switch trouble {
    case .blocked(let pid, let isStopped): .blocked(pid: pid, isStopped: isStopped)
    case .failed(let sentence), .lost(let sentence): .trouble(sentence)
    }
  }

  private func owningStatus(_ owning: Owning) -> Status {
    switch owning.phase {
    case .claimed, .connecting:
      owning.trouble.map { .hinderedFromConnecting(owning.claim.epoch, $0) }
        ?? .connecting(owning.claim.epoch)
    case .established: .connected(owning.claim.epoch)
    case .settling: .settling(owning.claim.epoch)
    case .released: .releasing(owning.claim.epoch)
    }
  }

  var isIdle: Bool { state == .idle }

  var holds: Bool {
    switch state {
    case .owning, .releasing, .closing: true
    case .idle, .looking, .claiming: false
    }
  }

  var isClaiming: Bool {
    if case .claiming = state { true } else { false }
  }

  /// What a refusal by the peer means; nil if the node is not running.
  func answer(toHighest highest: Epoch, of container: ContainerID) -> Refusal? {
    guard case .owning(let owning) = state, owning.node == .started else { return nil }
    let answer = owning.claim.answer(
      toHighest: highest, of: container, movesHere: movesHereUntil != nil && !owning.hasRaised)
    return answer == .raise && owning.hasRaised ? .outOfReach : answer
  }

  /// Connected to the peer: from now on a payment may have begun.
  var isEstablished: Bool {
    guard case .owning(let owning) = state else { return false }
    return owning.phase == .established || owning.phase == .settling
  }

  /// The node's pending work, while it runs under our claim.
  var activity: NodeActivity {
    switch state {
    case .owning(let owning) where owning.node == .started: owning.activity
    case .releasing(let owning, _): owning.activity
    case .idle, .looking, .claiming, .owning, .closing: .nothing
    }
  }

  /// This process owns the node, but the node cannot reach its peer: it has reported why, and pauses.
  var isHinderedFromConnecting: Bool {
    if case .hinderedFromConnecting = status { true } else { false }
  }

  /// The reason why this process waits, while it looks.
  var waitsFor: WaitReason? {
    guard case .looking(let looking) = state else { return nil }
    return looking.waitsFor
  }
}

/// What it means that the peer refused our epoch because it knows a higher one.
enum Refusal: Hashable, Sendable {
  /// Our own database was restored: raise the epoch above the peer's.
  case raise
  /// Another container is the node's owner.
  case otherDevice
  /// The same, and the user has asked to move the node here: replace its claim.
  case takePlace
  /// A restored database cannot explain such an epoch: the peer is wrong, or not ours.
  case outOfReach
}

extension Claim {
  func answer(toHighest highest: Epoch, of container: ContainerID, movesHere: Bool) -> Refusal {
    guard container == self.container else {
      guard movesHere else { return .otherDevice }
      // A new container may have claimed more often than the previous one.
      return mayRaise(above: max(highest, epoch)) ? .takePlace : .outOfReach
    }
    return mayRaise(above: highest) ? .raise : .outOfReach
  }
}
