/// The state of one request, from its submission to the end of its run.
public struct TaskRecord: Hashable, Codable, Sendable {
  public enum Fate: Hashable, Codable, Sendable {
    case waits(TaskHindrance)
    case replaced
    case cancelled
    case refused(Refusal)
    case runs(isByHand: Bool)
    /// Told to end, and not completed yet.
    case expires(Refusal)
    case completed(isSuccess: Bool)
    /// Not completed within the grace.
    case expired(Refusal)
    /// The app or the phone ended first.
    case lost
  }

  /// The request's number, from 1 in each boot; its run has the same number.
  public var number: UInt64
  public var request: TaskRequest
  public var fate: Fate
}
