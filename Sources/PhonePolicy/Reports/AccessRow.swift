/// A line of lspd's `access.jsonl`: one request over HTTP, and its answer.
public struct AccessRow: Report, Hashable {
  public var atNs: Int64
  /// Since 1970.
  public var atWallNs: Int64
  public var method: String
  /// Path and query as sent; the first bytes of a long one.
  public var target: String
  public var status: Int
  public var hint: String?
  public var reason: String?
  public var recommendedDelayMs: UInt64?
  public var error: String?

  public init(atNs: Int64, atWallNs: Int64, method: String, target: String, status: Int) {
    self.atNs = atNs
    self.atWallNs = atWallNs
    self.method = method
    self.target = target
    self.status = status
  }
}
