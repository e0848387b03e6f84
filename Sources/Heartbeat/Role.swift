// Heartbeat: what a beat is, and when it is stale. Pure: it imports only the shape of a core. Who owns the node
// is never decided here; a beat bounds how long others wait, and tells people what goes on.

/// The two processes that share one Lightning node.
public enum Role: String, Hashable, Codable, Sendable, CaseIterable {
  case app
  case `extension`

  public var other: Role { self == .app ? .extension : .app }

  /// The name of the process, as people know it.
  public var processName: String { self == .app ? "mainappd" : "notifyextd" }
}
