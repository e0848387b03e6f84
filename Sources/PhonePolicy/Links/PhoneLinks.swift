import Ground

// Links that open the app, and the pasteboard. The link and the text are opaque to the phone.
extension Phone {
  /// Nil if a link with this scheme opens the app.
  public func refusal(ofLinkWith scheme: String) -> Refusal? {
    if rebooting != nil { return .rebooting }
    if isGoingDown { return .goingDown }
    guard configuration.linkSchemes?.contains(scheme) == true else { return .noApp(scheme: scheme) }
    if case .terminating = app { return .appIsEnding }
    return nil
  }

  /// The app comes to the front, and is then given the link.
  mutating func linkOpened(_ link: String, _ scheme: String) -> [PhoneDirective] {
    refusal(ofLinkWith: scheme) == nil ? openFor(.link(link), .link(scheme: scheme)) : []
  }

  /// Only the app that the user sees changes the pasteboard.
  func textCopied(by role: Role) -> [PhoneDirective] {
    guard role == .app else { return [.refusePasteboard(role, .noPasteboard)] }
    return app == .foreground ? [.setPasteboard] : [.refusePasteboard(role, .copiedBehind)]
  }
}
