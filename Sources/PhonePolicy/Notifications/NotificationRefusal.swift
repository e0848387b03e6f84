/// Why what a process wants to be shown is not shown as it wants it.
public enum NotificationRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case criticalWithoutEntitlement

  public var description: String {
    switch self {
    case .criticalWithoutEntitlement:
      "a critical notification needs the entitlement critical-alerts, and the wallet does not have it"
    }
  }
}
