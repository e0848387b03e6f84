/// This end's part in splices; set on a connection if both ends support them.
public struct SplicingSide: Hashable, Codable, Sendable {
  public enum Role: Hashable, Codable, Sendable {
    /// The wallet: begins the splices that a user requests.
    case begins
    /// The LSP: adds no inputs or outputs.
    case answers
  }

  public var role: Role
  /// This end's key for the next funding.
  public var key: CurvePoint

  public init(role: Role, key: CurvePoint) {
    self.role = role
    self.key = key
  }
}
