/// Why a process cannot change the pasteboard.
public enum PasteboardRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case `extension`
  case notInFront

  public var description: String {
    switch self {
    case .extension: "a notification service extension has no pasteboard"
    case .notInFront: "the app is not in front, and only the app that the user sees changes the pasteboard"
    }
  }
}
