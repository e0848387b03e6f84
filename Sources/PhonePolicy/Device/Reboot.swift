/// A phone that is off for a moment: its processes are killed, and what is sent to it waits.
public struct Reboot: Hashable, Codable, Sendable {
  /// Nobody ever syncs beats to the disk: they are gone if the power was.
  var losesBeats: Bool
  /// In the order in which they came.
  var arrived: [PhonePush] = []
}
