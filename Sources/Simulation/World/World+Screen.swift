import Ground
import PhonePolicy
import Wallet

// The user of an app with a screen of incoming payments: its buttons, and the links that open it.
extension World {
  /// Whether the user sees this button.
  public func hasButton(_ button: ScreenButton) -> Bool {
    phone.app == .foreground && lives.app?.value.screen?.buttons.contains(button) == true
  }

  /// The screen may change before the app hears of it.
  mutating func pressIfThere(_ button: ScreenButton) {
    guard hasButton(button) else { return }
    lives.app?.value.inbox.append(.incoming(.pressed("press", button)))
  }

  /// The app comes to the front, as the user opens it.
  mutating func followLink() {
    guard let scheme = settings.wallet.urlScheme, phone.refusal(ofLinkWith: scheme) == nil else { return }
    noteOpening()
    tellPhone(.linkOpened(numbers.request(), scheme: scheme))
  }

  /// Every second link is of no page.
  mutating func tell(ofLink id: UInt64) {
    guard id.isMultiple(of: 2) else { return }
    lives.app?.value.inbox.append(.incoming(.linkFollowed(.subscriptions)))
  }
}
