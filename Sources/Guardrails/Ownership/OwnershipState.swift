import Ground
import Heartbeat

extension Ownership {
  enum State: Hashable, Codable, Sendable {
    /// The node is not wanted. → looking
    case idle
    /// The node is wanted and not owned yet. → claiming, idle
    case looking(Looking)
    /// The claim is not answered yet. → owning, looking (it failed), closing (it succeeded, and the node is not
    /// wanted any more), idle (it failed, and the node is not wanted any more)
    case claiming(Looking)
    /// Owned. → releasing, closing (nothing was dialled, or raising the epoch failed), idle (fenced), looking (fenced
    /// and wanted again at once)
    case owning(Owning)
    /// The node finishes its commits and disconnects. → closing, idle (fenced), looking (fenced and wanted again at
    /// once)
    case releasing(Owning, nodeStopsBy: Instant)
    /// The node has stopped; a pending raise is awaited, then the row is read once more before the last beat. → idle,
    /// looking (wanted again at once)
    case closing(Owning)
  }

  struct Looking: Hashable, Codable, Sendable {
    var rule: ClaimRule
    var nextLook: Instant
    /// A look is pending: the deadline must not start a second one.
    var isLooking = true
    var waitsFor: WaitReason?
    var trouble: Trouble?
    var ownLockRefusals = 0
    var isWanted = true
    /// When the claim was requested: after a late answer the row is checked before the dial.
    var claimAskedAt: Instant?
  }

  /// Raising the epoch failed. Without a pause the process would claim, dial and raise again at once.
  struct FailedRaise: Hashable, Codable, Sendable {
    var trouble: Trouble
    var looksAgainAt: Instant
  }

  struct Owning: Hashable, Codable, Sendable {
    var claim: Claim
    /// The claim that it replaces at the peer, on the user's request.
    var replacing: ReplacedClaim?
    var phase: Phase
    var schedule: BeatSchedule
    /// The row is being read for the next beat.
    var isReadingRow = false
    var node = Node.unstarted
    /// Of the last started node.
    var activity = NodeActivity.nothing
    /// The epoch was raised once: if the peer refuses the new one too, it is not raised for ever.
    var hasRaised = false
    /// Why the node is not connected, for users.
    var trouble: String?
  }

  enum Node: Hashable, Codable, Sendable {
    /// Claimed, and the row is read once more before the dial; or stopped, before the last beat. → started
    case unstarted
    /// It dials or is connected. → raising, unstarted (it has stopped)
    case started
    /// Refused by the peer and closed; a higher epoch is being claimed. → started, unstarted (the claim failed, or
    /// the node is not wanted any more)
    case raising
  }
}

extension Ownership.Owning {
  /// The phase of the beats while the peer is connected.
  var connectedPhase: Phase { activity.isSettling ? .settling : .established }
}
