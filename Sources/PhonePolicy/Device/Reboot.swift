/// A phone that is off for a moment: its processes are killed, and what is sent to it waits.
public struct Reboot: Hashable, Codable, Sendable {
  /// Nobody ever syncs beats to the disk: they are gone if the power was.
  var losesBeats: Bool
  /// The user unlocks it as soon as it is on.
  var unlocks: Bool
  /// In the order in which they came.
  var arrived: [PhonePush] = []
}
