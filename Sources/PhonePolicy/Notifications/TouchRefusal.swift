/// Why nothing comes of a touch.
public enum TouchRefusal: Hashable, Sendable, CustomStringConvertible {
  case noSuchAction(String)
  case appIsEnding
  case goingDown
  case rebooting

  public var description: String {
    switch self {
    case .noSuchAction(let id):
      "the app has registered no action \(id) for this notification; `baton notifications categories` lists them"
    case .appIsEnding: "the app is on its way out; do it again when it is gone"
    case .goingDown: "the phone is going down; start it again"
    case .rebooting: "the phone is starting again, and its screen is dark; try again in a moment"
    }
  }
}
