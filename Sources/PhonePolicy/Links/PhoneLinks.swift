import Ground

// Links that open the app, and the pasteboard. The link and the text are opaque to the phone.
extension Phone {
  /// Nil if a link with this scheme opens the app.
  public func refusal(ofLinkWith scheme: String) -> LinkRefusal? {
    if rebooting != nil { return .rebooting }
    if isGoingDown { return .goingDown }
    guard configuration.linkSchemes?.contains(scheme) == true else { return .noApp(scheme: scheme) }
    if case .terminating = app { return .appIsEnding }
    return nil
  }

  /// The app comes to the front, and is then given the link.
  mutating func linkOpened(_ id: UInt64, _ scheme: String) -> [PhoneDirective] {
    guard refusal(ofLinkWith: scheme) == nil else { return [.dropLink(id)] }
    return openFor(.link(id: id), .link(scheme: scheme))
  }

  /// Only the app that the user sees changes the pasteboard.
  func textCopied(by role: Role) -> [PhoneDirective] {
    guard role == .app else { return [.refusePasteboard(role, .extension)] }
    return app == .foreground ? [.setPasteboard] : [.refusePasteboard(role, .notInFront)]
  }
}

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
