import Ground

/// A request to be started later for background work (`BGTaskRequest`).
public struct TaskRequest: Hashable, Codable, Sendable {
  public var identifier: String
  public var kind: TaskKind
  /// The earliest begin, from the submission on.
  public var earliest: TimeSpan
  /// This and `requiresExternalPower` are for processing tasks only: a refresh has no conditions.
  public var requiresNetwork: Bool
  public var requiresExternalPower: Bool

  public init(
    identifier: String, kind: TaskKind, earliest: TimeSpan = .zero, requiresNetwork: Bool = false,
    requiresExternalPower: Bool = true
  ) {
    self.identifier = identifier
    self.kind = kind
    self.earliest = earliest
    self.requiresNetwork = kind == .processing && requiresNetwork
    self.requiresExternalPower = kind == .processing && requiresExternalPower
  }

  /// The two tasks cannot run at the same time.
  func collides(with other: TaskRequest) -> Bool { kind == other.kind || identifier == other.identifier }
}
