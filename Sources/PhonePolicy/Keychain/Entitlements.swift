/// The entitlements of one program of the wallet.
public struct Entitlements: Hashable, Codable, Sendable {
  /// The app's bundle id, as a push may name it.
  public static let bundle = "com.example.lightning"
  public static let accessGroup = "A1B2C3D4E5.com.example.lightning"
  public static let appGroup = "group.com.example.lightning"
  public static let filtering = "com.apple.developer.usernotifications.filtering"

  public var accessGroups: [String]
  public var appGroups: [String]
  /// An extension with the entitlement `filtering` can show nothing for a push.
  public var filtersNotifications: Bool

  public init(
    accessGroups: [String] = [Entitlements.accessGroup], appGroups: [String] = [Entitlements.appGroup],
    filtersNotifications: Bool = false
  ) {
    self.accessGroups = accessGroups
    self.appGroups = appGroups
    self.filtersNotifications = filtersNotifications
  }

  /// Why these entitlements are invalid; nil if they are valid.
  public var problem: Refusal? {
    if let group = accessGroups.first(where: { !Self.hasTeam($0) }) { return .noTeam(group) }
    if let group = appGroups.first(where: { !$0.hasPrefix("group.") || $0 == "group." }) {
      return .noAppGroup(group)
    }
    return nil
  }

  /// An access group begins with the team id: ten capital letters and digits.
  private static func hasTeam(_ group: String) -> Bool {
    let team = group.utf8.prefix { $0 != UInt8(ascii: ".") }
    return team.count == 10 && group.utf8.count > 11
      && team.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
  }
}
