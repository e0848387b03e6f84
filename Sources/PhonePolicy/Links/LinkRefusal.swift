/// Why a link opens no app.
public enum LinkRefusal: Hashable, Sendable, CustomStringConvertible {
  case noApp(scheme: String)
  case appIsEnding
  case goingDown
  case rebooting

  public var description: String {
    switch self {
    case .noApp(let scheme):
      "no installed app has registered the scheme `\(scheme)`; register it with `iosd --url-scheme`, or start the phone with a wallet that has it"
    case .appIsEnding: TouchRefusal.appIsEnding.description
    case .goingDown: TouchRefusal.goingDown.description
    case .rebooting: TouchRefusal.rebooting.description
    }
  }
}
