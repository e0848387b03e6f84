/// A message to the app about its audio.
public enum AudioMessage: Hashable, Codable, Sendable {
  case plays
  case refused(Refusal)
  /// Another app's audio plays now; the app must start its own again.
  case interrupted
  case ended
}
