import Ground

/// What the app shows.
public enum AppScreen: Hashable, Codable, Sendable {
  case page(AppPage)
  /// In front of the page.
  case incoming(IncomingState)

  /// The buttons that the user can press now.
  public var buttons: [ScreenButton] { self == .incoming(.expired) ? ScreenButton.allCases : [] }
}

/// The pages behind the screen of an incoming payment.
public enum AppPage: String, Hashable, Codable, Sendable, CaseIterable {
  case main
  case subscriptions

  /// The page of a link's text; nil if the app has no such page.
  public init?(link: String) {
    guard let colon = link.firstIndex(of: ":") else { return nil }
    let path = link[link.index(after: colon)...].split { $0 == "?" || $0 == "#" }.first ?? ""
    let words = path.split(separator: "/")
    guard words.count == 1, let page = AppPage(rawValue: words[0].lowercased()), page != .main else {
      return nil
    }
    self = page
  }
}

/// The screen of incoming payments.
public enum IncomingState: Hashable, Codable, Sendable {
  /// → completing, completed, expired
  case connecting
  /// → connecting, completed, expired
  case completing
  /// → connecting, completing (another payment)
  case completed(sats: UInt64)
  /// → connecting (the user tries again, or another payment)
  case expired
}

public enum ScreenButton: String, Hashable, Codable, Sendable, CaseIterable {
  case retry
  case copy
}
