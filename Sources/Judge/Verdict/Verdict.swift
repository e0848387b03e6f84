/// What the judge says about one run.
public struct Verdict: Hashable, Codable, Sendable {
  public struct Counts: Hashable, Codable, Sendable {
    public var payments = 0
    public var paid = 0
    public var failed = 0
    /// What the wallet counts as received.
    public var received = 0
    /// The wallet's own payments, and how they ended.
    public var sent = 0
    public var sentPaid = 0
    public var sentFailed = 0
    public var connections = 0
    public var refused = 0
    public var frames = 0
    public var appClaims = 0
    public var extensionClaims = 0
    public var kills = 0
    public var pushes = 0
    public var notifications = 0

    public init() {}
  }

  public var passed: Bool
  public var counts: Counts
  public var findings: [Finding]
  /// Payments that are on their way, one sentence each.
  public var unsettled: [String]
  /// What is worth knowing and breaks nothing.
  public var remarks: [String]

  /// 0 sound; 2 exclusion or money broken; 3 nothing broken, but not everything was settled.
  public var exitCode: Int32 {
    if passed { return 0 }
    return findings.allSatisfy { $0.invariant == 6 } ? 3 : 2
  }
}
