/// A reboot in progress: the processes are killed.
public struct Reboot: Hashable, Codable, Sendable {
  /// The power was lost, and with it the beats, which are never synced to disk.
  var losesBeats: Bool
  /// The user unlocks the phone right after the boot.
  var unlocks: Bool
}
