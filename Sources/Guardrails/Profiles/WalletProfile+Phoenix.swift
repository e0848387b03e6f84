extension WalletProfile {
  /// Phoenix: the extension receives the payment while the app is closed.
  public static let phoenix = WalletProfile(
    name: "phoenix", sentence: "the extension has a node and receives", extension: .receiving,
    pushForm: .phoenix,
    texts: NotificationTexts(
      unreadable: NotificationContent.note("Wallet", "Open the wallet to check for new activity.")),
    silentPushTask: nil, urlScheme: nil)
}
