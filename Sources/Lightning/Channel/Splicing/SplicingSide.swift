import Bitcoin

/// That both ends of this connection splice, and what this one does in it.
public struct SplicingSide: Hashable, Codable, Sendable {
  public enum Role: Hashable, Codable, Sendable {
    /// The wallet's: only what a user wants is begun.
    case begins
    /// The provider's: it adds nothing of its own.
    case answers
  }

  public var role: Role
  /// Of this end, for the next funding.
  public var key: CurvePoint

  public init(role: Role, key: CurvePoint) {
    self.role = role
    self.key = key
  }
}
