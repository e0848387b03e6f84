/// Why audio does not play.
public enum AudioRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case notDeclared
  case silent
  case otherPlays

  public var description: String {
    switch self {
    case .notDeclared:
      "the app has not declared the background mode audio; start the phone with --background-mode audio"
    case .silent: "at volume 0 it counts as idle and keeps nobody awake; play at 0.001 or louder"
    case .otherPlays: "something else plays and this does not mix with it; start it again when that is over"
    }
  }
}
