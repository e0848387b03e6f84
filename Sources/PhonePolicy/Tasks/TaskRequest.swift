import Ground

/// What the app asks for: to be started later, for some work of its own.
public struct TaskRequest: Hashable, Codable, Sendable {
  public var identifier: String
  public var kind: TaskKind
  /// Not before so much time has gone by.
  public var earliest: TimeSpan
  /// For processing only, as are the chargers: a refresh has no conditions of its own.
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

  /// Both cannot run at once.
  func collides(with other: TaskRequest) -> Bool { kind == other.kind || identifier == other.identifier }
}
