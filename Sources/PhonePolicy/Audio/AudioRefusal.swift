/// Why audio does not play.
public enum AudioRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case notDeclared
  case silent
  case otherPlays
  /// The app was suspended or told to terminate before its request arrived.
  case tooLate

  public var description: String {
    switch self {
    case .notDeclared:
      "the app has not declared the background mode audio; start the phone with --background-mode audio"
    case .silent: "audio at volume 0 counts as idle and keeps no app awake; play at 0.001 or louder"
    case .otherPlays:
      "another app plays audio, and this session does not mix with it; start it again when the other audio has ended"
    case .tooLate:
      "the phone had suspended the app or told it to terminate before the request arrived; start the audio again when the app resumes"
    }
  }
}
