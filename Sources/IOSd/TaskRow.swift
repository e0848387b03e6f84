/// One request for a background task and what became of it, as it stands in os/tasks.jsonl. The last row of an id
/// counts.
struct TaskRow: Codable, Hashable, NumberedRow {
  var id: UInt64
  var identifier: String
  var kind: String
  var requiresNetwork: Bool
  var requiresExternalPower: Bool
  /// waiting, replaced, cancelled, refused, running, expiring, completed, failed, expired or lost.
  var state: String
  /// Why it waits, was refused, or is over.
  var why: String?
  var submittedWall: Int64
  var submittedAt: Int64
  /// Before it nothing can be expected; the phone may take its time after it.
  var earliestAt: Int64
  var launchedAt: Int64?
  var endedAt: Int64?
  /// What the app said of its run.
  var isSuccess: Bool?
  var isByHand: Bool?
  /// How often a run that was over was said to be done.
  var refusedCompletions: Int?

  enum CodingKeys: String, CodingKey {
    case id, identifier, kind, state, why
    case requiresNetwork = "requires_network"
    case requiresExternalPower = "requires_external_power"
    case submittedWall = "submitted_wall_ns"
    case submittedAt = "submitted_at_ns"
    case earliestAt = "earliest_at_ns"
    case launchedAt = "launched_at_ns"
    case endedAt = "ended_at_ns"
    case isSuccess = "success"
    case isByHand = "by_hand"
    case refusedCompletions = "refused_completions"
  }
}
