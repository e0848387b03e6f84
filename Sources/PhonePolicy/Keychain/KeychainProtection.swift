/// When an item of the keychain can be read.
public enum KeychainProtection: String, Hashable, Codable, Sendable, CaseIterable {
  /// Only while the phone is unlocked.
  case whenUnlocked = "when-unlocked"
  /// From the first unlocking after a boot.
  case afterFirstUnlock = "after-first-unlock"
}

/// Who asks for an item or a container.
public enum KeychainAsker: Hashable, Sendable {
  case wallet(PhoneRole)
  /// A process that the phone has not started.
  case stranger(pid: Int32)
}

/// Why somebody does not get it.
public enum KeychainRefusal: Hashable, Sendable, CustomStringConvertible {
  case stranger(pid: Int32, group: String)
  case notEntitled(PhoneRole, group: String)
  case noContainer(PhoneRole, id: String)
  case notUnlockedSinceBoot
  case locked

  public var description: String {
    switch self {
    case .stranger(let pid, let group):
      "process \(pid) is none that this phone has started, so it has no entitlement for \(group)"
    case .notEntitled(let role, let group):
      "the \(role.rawValue) has no entitlement for the access group \(group); add it to the file of --entitlements-file"
    case .noContainer(let role, let id):
      "the \(role.rawValue) has no container of the app group \(id); add it to the file of --entitlements-file"
    case .notUnlockedSinceBoot: "the phone has not been unlocked since it was started"
    case .locked: "the phone is locked, and this item can be read only while it is not"
    }
  }
}

// The rules of the keychain and of shared containers.
extension Phone {
  /// Nil: it may touch items of this group and class.
  public func refusal(
    to asker: KeychainAsker, group: String, protection: KeychainProtection
  ) -> KeychainRefusal? {
    switch asker {
    case .stranger(let pid): return .stranger(pid: pid, group: group)
    case .wallet(let role):
      guard configuration.entitlements(of: role).accessGroups.contains(group) else {
        return .notEntitled(role, group: group)
      }
    }
    if !device.hasBeenUnlocked { return .notUnlockedSinceBoot }
    return protection == .whenUnlocked && device.isLocked ? .locked : nil
  }

  /// Nil: the container of this group is its own too.
  public func refusal(to asker: KeychainAsker, container id: String) -> KeychainRefusal? {
    switch asker {
    case .stranger(let pid): .stranger(pid: pid, group: id)
    case .wallet(let role):
      configuration.entitlements(of: role).appGroups.contains(id) ? nil : .noContainer(role, id: id)
    }
  }
}

extension PhoneConfiguration {
  public func entitlements(of role: PhoneRole) -> Entitlements {
    role == .app ? appEntitlements : extensionEntitlements
  }
}
