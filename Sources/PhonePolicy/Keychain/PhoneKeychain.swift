import Ground

// The rules of the keychain and of shared containers.
extension Phone {
  /// Nil if the asker may use items of this group and protection class.
  public func refusal(
    to asker: KeychainAsker, group: String, protection: KeychainProtection
  ) -> KeychainRefusal? {
    switch asker {
    case .unknownProcess(let pid): return .unknownProcess(pid: pid, group: group)
    case .wallet(let role):
      guard configuration.entitlements(of: role).accessGroups.contains(group) else {
        return .notEntitled(role, group: group)
      }
    }
    if !device.hasBeenUnlocked { return .notUnlockedSinceBoot }
    return protection == .whenUnlocked && device.isLocked ? .locked : nil
  }

  /// Nil if the asker may open the container of this app group.
  public func refusal(to asker: KeychainAsker, container id: String) -> KeychainRefusal? {
    switch asker {
    case .unknownProcess(let pid): .unknownProcess(pid: pid, group: id)
    case .wallet(let role):
      configuration.entitlements(of: role).appGroups.contains(id) ? nil : .noContainer(role, id: id)
    }
  }
}

extension PhoneConfiguration {
  public func entitlements(of role: Role) -> Entitlements {
    role == .app ? appEntitlements : extensionEntitlements
  }
}

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
