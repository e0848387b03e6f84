// The texts of the app's screens; only made here.

extension AppScreen {
  public var text: String {
    switch self {
    case .page(.main): "the wallet"
    case .page(.subscriptions): "Subscriptions"
    case .incoming(.connecting): "Connecting to Lightning peer..."
    case .incoming(.completing): "Completing payment..."
    case .incoming(.completed(let sats)): "Received \(sats) sats"
    case .incoming(.expired): "Payment expired or canceled"
    }
  }

  /// Below the text, in a weaker colour.
  public var detail: String? { self == .incoming(.expired) ? "Ask sender to retry" : nil }

  /// In messages: `main`, `subscriptions` or `incoming`.
  public var name: String {
    switch self {
    case .page(let page): page.rawValue
    case .incoming: "incoming"
    }
  }
}

extension IncomingState {
  public var word: String {
    switch self {
    case .connecting: "connecting"
    case .completing: "completing"
    case .completed: "completed"
    case .expired: "expired"
    }
  }
}

extension ScreenButton {
  public var title: String {
    switch self {
    case .retry: "Retry Now"
    case .copy: "Copy Message for Sender"
    }
  }

  public init?(title: String) {
    guard let button = Self.allCases.first(where: { $0.title == title }) else { return nil }
    self = button
  }

  static let messageForSender = "My wallet needs me to open the app to receive. Please retry in 10 seconds."
}
