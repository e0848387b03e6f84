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

  public mutating func take(_ fate: TaskRecord.Fate, at now: Int64) {
    (state, why) = (fate.state, fate.why)
    switch fate {
    case .runs(let isByHand):
      launchedAtNs = now
      self.isByHand = isByHand ? true : nil
    case .completed(let isSuccess): self.isSuccess = isSuccess
    default: break
    }
    if fate.isEnd { endedAtNs = now }
  }
}

extension TaskRow {
  public init(id: UInt64, of request: TaskRequest, wall: Int64, at: Int64, earliestAt: Int64) {
    self.init(
      id: id, identifier: request.identifier, kind: request.kind.rawValue,
      requiresNetwork: request.requiresNetwork, requiresExternalPower: request.requiresExternalPower,
      state: "waiting", submittedWallNs: wall, submittedAtNs: at, earliestAtNs: earliestAt)
  }
}
