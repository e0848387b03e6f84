import Ground
import Heartbeat

/// What the two machines have in common, so that one wallet can have either.
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

  public init(takeover: Takeover = .lock, timing: HeartbeatTiming = .standard) {
    self.takeover = takeover
    self.timing = timing
  }
}

extension Ownership {
  /// What a user reads about the connection at this moment.
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

  /// What a refusal by the peer means, if there is a node that can be refused.
  func answer(toHighest highest: Epoch, of container: ContainerID) -> Refusal? {
    guard case .owning(let owning) = state, owning.node == .started else { return nil }
    let answer = owning.claim.answer(
      toHighest: highest, of: container, movesHere: movesHereUntil != nil && !owning.hasRaised)
    return answer == .raise && owning.hasRaised ? .outOfReach : answer
  }

  /// Connected to the peer: from here on a payment may have begun.
  var isEstablished: Bool {
    guard case .owning(let owning) = state else { return false }
    return owning.phase == .established || owning.phase == .settling
  }

  /// What the node is busy with, while it runs under our claim.
  var activity: NodeActivity {
    switch state {
    case .owning(let owning) where owning.node == .started: owning.activity
    case .releasing(let owning, _): owning.activity
    case .idle, .looking, .claiming, .owning, .closing: .nothing
    }
  }

  /// The node is ours and does not reach its peer: it has said why, and pauses.
  var isHinderedFromConnecting: Bool {
    if case .hinderedFromConnecting = status { true } else { false }
  }

  /// Whom this process waits for, while it looks.
  var waitsFor: WaitReason? {
    guard case .looking(let looking) = state else { return nil }
    return looking.waitsFor
  }
}
