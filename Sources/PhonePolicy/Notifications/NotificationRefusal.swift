/// Why a process's notification is refused.
public enum NotificationRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case criticalWithoutEntitlement
  case emptyWithoutEntitlement

  public var description: String {
    switch self {
    case .criticalWithoutEntitlement:
      "a critical notification needs the entitlement critical-alerts, which the wallet does not have"
    case .emptyWithoutEntitlement:
      "content without a text needs the entitlement \(Entitlements.filtering), which the extension does not have"
    }
  }
}
