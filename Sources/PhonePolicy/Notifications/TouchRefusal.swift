/// Why user input has no effect.
public enum TouchRefusal: Hashable, Sendable, CustomStringConvertible {
  case noSuchAction(String)
  case appIsEnding
  case goingDown
  case rebooting

  public var description: String {
    switch self {
    case .noSuchAction(let id):
      "the app has registered no action \(id) for this notification; `baton list categories` lists the registered ones"
    case .appIsEnding: "the app is terminating; try again when it has ended"
    case .goingDown: "the phone is powering off; start it again"
    case .rebooting: "the phone is rebooting; try again in a moment"
    }
  }
}
