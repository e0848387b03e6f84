public enum EntitlementProblem: Hashable, Codable, Sendable, CustomStringConvertible {
  case noTeam(String)
  case noAppGroup(String)

  public var description: String {
    switch self {
    case .noTeam(let group):
      "the access group \(group) does not begin with a team id; write it as \(Entitlements.accessGroup)"
    case .noAppGroup(let group):
      "the app group \(group) does not begin with group.; write it as \(Entitlements.appGroup)"
    }
  }
}
