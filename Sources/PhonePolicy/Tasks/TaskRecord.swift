/// What becomes of one request, from its submission to the end of its run.
public struct TaskRecord: Hashable, Codable, Sendable {
  public enum Fate: Hashable, Codable, Sendable {
    case waits(TaskHindrance)
    case replaced
    case cancelled
    case refused(TaskRefusal)
    case runs(isByHand: Bool)
    /// Told to end, and not done yet.
    case expires(TaskExpiry)
    case completed(isSuccess: Bool)
    /// It did not complete within the grace.
    case expired(TaskExpiry)
    /// The app ended before it did, or the phone.
    case lost
  }

  /// Of the request, from 1 in each boot; the run has the same.
  public var number: UInt64
  public var request: TaskRequest
  public var fate: Fate
}
