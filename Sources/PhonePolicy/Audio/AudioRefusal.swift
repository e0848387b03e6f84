/// Why audio does not play.
public enum AudioRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case notDeclared
  case silent
  case otherPlays
  /// It was stopped, or told to end, before its word was heard.
  case tooLate

  public var description: String {
    switch self {
    case .notDeclared:
      "the app has not declared the background mode audio; start the phone with --background-mode audio"
    case .silent: "at volume 0 it counts as idle and keeps no app awake; play at 0.001 or louder"
    case .otherPlays: "something else plays and this does not mix with it; start it again when that is over"
    case .tooLate:
      "the phone had suspended the app or told it to end before it heard of this; start it again when the app goes on"
    }
  }
}
