import Ground
import Heartbeat

extension Ownership {
  enum State: Hashable, Codable, Sendable {
    /// The node is not wanted. → looking
    case idle
    /// The node is wanted and not ours yet. → claiming, idle
    case looking(Looking)
    /// The claim is being tried. → owning, looking (it did not happen), closing (it did, and nobody wants it any more),
    /// idle (it did not, and nobody does)
    case claiming(Looking)
    /// Ours. → releasing, closing (nothing was dialled, or a jump above the peer's number failed), idle (fenced),
    /// looking (fenced and wanted again at once)
    case owning(Owning)
    /// The node finishes and hangs up. → closing, idle (fenced), looking (fenced and wanted again at once)
    case releasing(Owning, nodeStopsBy: Instant)
    /// The node is quiet; a jump is waited for, then the row is read once more before the last beat. → idle, looking
    /// (wanted again at once)
    case closing(Owning)
  }

  struct Looking: Hashable, Codable, Sendable {
    var rule: ClaimRule
    var nextLook: Instant
    /// A look is on its way: the deadline must not ask for a second one.
    var isLooking = true
    var waitsFor: WaitReason?
    var trouble: Trouble?
    var ownLockRefusals = 0
    var isWanted = true
    /// When the claim was asked for: an answer that comes late is checked before anything is dialled.
    var claimAskedAt: Instant?
  }

  /// A raise of the epoch that failed. Without the pause the process would claim, dial and raise again at once.
  struct FailedJump: Hashable, Codable, Sendable {
    var trouble: Trouble
    var looksAgainAt: Instant
  }

  struct Owning: Hashable, Codable, Sendable {
    var claim: Claim
    /// Whose place it takes at the peer, if the user has said so.
    var replacing: ReplacedClaim?
    var phase: Phase
    var schedule: BeatSchedule
    /// The row is being read for the next beat.
    var isReadingRow = false
    var node = Node.unstarted
    /// Of the node that was started last.
    var activity = NodeActivity.nothing
    /// The number was raised above the peer's once: a peer that refuses the new one too would have it raised for ever.
    var hasRaised = false
    /// What keeps the node from being connected, for people.
    var trouble: String?
  }

  enum Node: Hashable, Codable, Sendable {
    /// Claimed, and the row is read once more before the dial; or quiet, before the last beat. → started
    case unstarted
    /// It dials or is connected. → raising, unstarted (it has stopped)
    case started
    /// Refused by the peer and closed; a higher number is on its way. → started, unstarted (there is none, or nobody
    /// wants it any more)
    case raising
  }
}

extension Ownership.Owning {
  /// What the beats say while the peer is connected.
  var connectedPhase: Phase { activity.isSettling ? .settling : .established }
}
