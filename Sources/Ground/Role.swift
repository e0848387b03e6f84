/// The two processes that share one Lightning node.
public enum Role: String, Hashable, Codable, Sendable, CaseIterable {
  case app
  case `extension`

  public var other: Role { self == .app ? .extension : .app }
}
