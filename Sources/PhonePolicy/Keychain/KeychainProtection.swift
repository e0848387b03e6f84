/// When an item of the keychain can be read.
public enum KeychainProtection: String, Hashable, Codable, Sendable, CaseIterable {
  /// Only while the phone is unlocked.
  case whenUnlocked = "when-unlocked"
  /// From the first unlock after a boot.
  case afterFirstUnlock = "after-first-unlock"
}
