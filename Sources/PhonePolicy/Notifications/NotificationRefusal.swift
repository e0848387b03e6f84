/// Why a process's notification is refused.
public enum NotificationRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case criticalWithoutEntitlement

  public var description: String {
    switch self {
    case .criticalWithoutEntitlement:
      "a critical notification needs the entitlement critical-alerts, which the wallet does not have"
    }
  }
}
