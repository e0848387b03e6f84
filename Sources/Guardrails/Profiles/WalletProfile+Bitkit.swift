extension WalletProfile {
  /// Bitkit: the extension decrypts the push and tells the user, who opens the app, which receives.
  public static let bitkit = WalletProfile(
    name: "bitkit", sentence: "the extension only notifies, and has no node; the app receives",
    extension: .telling, pushForm: .bitkit,
    texts: NotificationTexts(
      // What the real wallet shows for a push that it cannot decrypt.
      unreadable: .urgent("Bitkit", "Open Bitkit to check for new activity"),
      announced: AnnouncedTexts(
        heldPayment: .urgent("Payment Incoming", "Open now to receive - funds are being held"),
        // Without a hold nothing is being held, so the text promises what the server's own text does.
        payment: .urgent("Payment Incoming", "Open Bitkit to receive"),
        paymentOpeningChannel: .urgent("Payment Incoming", "Open now to receive via new channel"),
        paidOrder: .urgent("Channel Ready", "Open Bitkit to complete setup"),
        mutualClose: .urgent("Channel Closed", "Funds moved to savings"))),
    silentPushTask: "ProcessIncomingHTLC", urlScheme: "bitkit", pollTask: paykitPoll)

  public static let paykitPoll = "to.bitkit.paykit.poll"
}
