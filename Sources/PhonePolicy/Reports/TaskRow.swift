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
  public var submittedWallNs: Int64
  public var submittedAtNs: Int64
  /// The earliest begin; the phone may launch the task any time later.
  public var earliestAtNs: Int64
  public var launchedAtNs: Int64?
  public var endedAtNs: Int64?
  /// The app's result of the run.
  public var isSuccess: Bool?
  public var isByHand: Bool?
  /// How often the app completed a run that was over already.
  public var refusedCompletions: Int?

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
    self.submittedWallNs = submittedWall
    self.submittedAtNs = submittedAt
    self.earliestAtNs = earliestAt
    self.launchedAtNs = launchedAt
    self.endedAtNs = endedAt
    self.isSuccess = isSuccess
    self.isByHand = isByHand
    self.refusedCompletions = refusedCompletions
  }
}
