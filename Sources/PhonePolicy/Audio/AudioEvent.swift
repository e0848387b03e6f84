/// What the app does with audio.
public enum AudioEvent: Hashable, Codable, Sendable {
  case startRequested(AudioSession)
  case stopped
}
