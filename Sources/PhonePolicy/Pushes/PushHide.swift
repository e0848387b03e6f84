/// Why a push with an alert is not shown.
public enum PushHide: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case notAllowed = "not-allowed"
  /// Lock screen, Notification Centre and banners are all off.
  case nowhere
  /// Banners appear on an unlocked screen only.
  case bannersOnly = "banners-only"

  public var description: String {
    switch self {
    case .notAllowed: "the user does not allow the wallet's notifications"
    case .nowhere: "lock screen, Notification Centre and banners are off for the wallet"
    case .bannersOnly: "the phone is locked, and lock screen and Notification Centre are off for the wallet"
    }
  }
}
