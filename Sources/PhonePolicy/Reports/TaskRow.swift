/// One background task request and its state, as in os/tasks.jsonl. The last row of an id counts.
public struct TaskRow: NumberedRow, Hashable {
  public var id: UInt64
  public var identifier: String
  public var kind: String
  public var requiresNetwork: Bool
  public var requiresExternalPower: Bool
  /// waiting, replaced, cancelled, refused, running, expiring, completed, failed, expired or lost.
  public var state: String
  /// Why it waits, was refused, or has ended.
  public var why: String?
  public var submittedWall: Int64
  public var submittedAt: Int64
  /// The earliest begin; the phone may launch the task any time later.
  public var earliestAt: Int64
  public var launchedAt: Int64?
  public var endedAt: Int64?
  /// The app's result of the run.
  public var isSuccess: Bool?
  public var isByHand: Bool?
  /// How often the app completed a run that was over already.
  public var refusedCompletions: Int?

  enum CodingKeys: String, CodingKey {
    case id, identifier, kind, requiresNetwork, requiresExternalPower, state, why
    case submittedWall = "submitted_wall_ns"
    case submittedAt = "submitted_at_ns"
    case earliestAt = "earliest_at_ns"
    case launchedAt = "launched_at_ns"
    case endedAt = "ended_at_ns"
    case isSuccess = "success"
    case isByHand = "by_hand"
    case refusedCompletions
  }

  public init(
    id: UInt64, identifier: String, kind: String, requiresNetwork: Bool, requiresExternalPower: Bool,
    state: String, why: String? = nil, submittedWall: Int64, submittedAt: Int64, earliestAt: Int64,
    launchedAt: Int64? = nil, endedAt: Int64? = nil, isSuccess: Bool? = nil, isByHand: Bool? = nil,
    refusedCompletions: Int? = nil
  ) {
    self.id = id
    self.identifier = identifier
    self.kind = kind
    self.requiresNetwork = requiresNetwork
    self.requiresExternalPower = requiresExternalPower
    self.state = state
    self.why = why
    self.submittedWall = submittedWall
    self.submittedAt = submittedAt
    self.earliestAt = earliestAt
    self.launchedAt = launchedAt
    self.endedAt = endedAt
    self.isSuccess = isSuccess
    self.isByHand = isByHand
    self.refusedCompletions = refusedCompletions
  }
}
