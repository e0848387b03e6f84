import Ground

/// Why a keychain item or a container is refused.
public enum KeychainRefusal: Hashable, Sendable, CustomStringConvertible {
  case unknownProcess(pid: Int32, group: String)
  case notEntitled(Role, group: String)
  case noContainer(Role, id: String)
  case notUnlockedSinceBoot
  case locked

  public var description: String {
    switch self {
    case .unknownProcess(let pid, let group):
      "process \(pid) was not started by this phone, so it has no entitlement for \(group)"
    case .notEntitled(let role, let group):
      "the \(role.rawValue) has no entitlement for the access group \(group); add it to the file of --entitlements-file"
    case .noContainer(let role, let id):
      "the \(role.rawValue) has no container of the app group \(id); add it to the file of --entitlements-file"
    case .notUnlockedSinceBoot: "the phone has not been unlocked since it was started"
    case .locked: "the phone is locked, and this item can only be read while it is unlocked"
    }
  }
}
