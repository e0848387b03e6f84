/// What the app is told of its audio.
public enum AudioMessage: Hashable, Codable, Sendable {
  case plays
  case refused(AudioRefusal)
  /// Something else plays now; it goes on only when the app starts it again.
  case interrupted
  case ended
}
