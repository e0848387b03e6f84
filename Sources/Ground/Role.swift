/// The two processes that share one Lightning node.
public enum Role: String, Hashable, Codable, Sendable, CaseIterable {
  case app = "app"
  case `extension` = "extension"

  public var other: Role { self == .app ? .extension : .app }
}
