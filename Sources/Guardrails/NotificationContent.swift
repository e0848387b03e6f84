import Ground

/// The text of a notification. Made here and nowhere else.
public struct NotificationContent: Hashable, Codable, Sendable {
  /// Of what kind it is: the phone shows each in its way.
  public enum Kind: String, Hashable, Codable, Sendable {
    case note
    /// Money has come.
    case payment
  }

  public var title: String
  public var body: String
  /// How much the badge grows.
  public var badgeIncrement: Int
  public var kind: Kind
  /// What it tells of: the person is to see one of these, whoever told first.
  public var payment: Bytes32?

  init(title: String, body: String, badgeIncrement: Int = 0, kind: Kind = .note, payment: Bytes32? = nil) {
    self.title = title
    self.body = body
    self.badgeIncrement = badgeIncrement
    self.kind = kind
    self.payment = payment
  }

  public static func received(_ payment: ReceivedPayment) -> NotificationContent {
    let amount = AmountText.words(msat: payment.amountMsat)
    return NotificationContent(
      title: "Received payment",
      body: payment.text.isEmpty ? "+\(amount)" : "+\(amount): \(payment.text)",
      badgeIncrement: 1, kind: .payment, payment: payment.paymentHash)
  }

  /// Nothing was received in the time there was.
  public static func nothingReceived(for reason: Push.Reason) -> NotificationContent {
    switch reason {
    case .incomingPayment:
      NotificationContent(
        title: "Missed incoming payment", body: "Open the wallet and ask the sender to retry.")
    case .pendingSettlement:
      NotificationContent(title: "Please open the wallet", body: "An incoming settlement is pending.")
    case .onionMessage: NotificationContent(title: "Wallet", body: "Is running in the background.")
    case .unreadable: NotificationContent(title: "Wallet", body: "Open the wallet to check for new activity.")
    }
  }

  /// They are kept, and a push comes for the rest: there is nothing that the person should do.
  package static let partsWait = NotificationContent(
    title: "Payment incoming", body: "A part of it has come. The rest is awaited.")

  package static let partsGivenBack = NotificationContent(
    title: "Payment not received", body: "Its sender did not send all of it, and has it back.")

  /// The app has the node. Whether it reaches its peer is not known here, so nothing is promised.
  package static let appContinues = NotificationContent(
    title: "Payment incoming", body: "The wallet is open: look there whether it has come.")
}
