import Ground

// The rules of the keychain and of shared containers.
extension Phone {
  /// Nil if the asker may use items of this group and protection class.
  public func refusal(
    to asker: KeychainAsker, group: String, protection: KeychainProtection
  ) -> Refusal? {
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
  public func refusal(to asker: KeychainAsker, container id: String) -> Refusal? {
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
