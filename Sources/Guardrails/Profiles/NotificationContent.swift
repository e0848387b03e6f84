import Ground

/// The text of a notification; only made here.
public struct NotificationContent: Hashable, Sendable {
  /// The phone shows each kind in its own way.
  public enum Kind: Hashable, Sendable {
    case note
    /// A payment, or other news for which the user should act now.
    case payment
  }

  public let title: String
  public let body: String
  /// How much the badge grows.
  public let badgeIncrement: Int
  public let kind: Kind

  /// The category of payment notifications, which the app registers.
  public static let paymentCategory = "INCOMING_PAYMENT"
  /// A UNNotificationInterruptionLevel. Not `critical`: that needs an entitlement which wallets do not get.
  public var level: String? { kind == .payment ? "time-sensitive" : nil }
  public var sound: String? { kind == .payment ? "default" : nil }
  public var category: String? { kind == .payment ? Self.paymentCategory : nil }

  public init(_ outcome: PushOutcome, of wallet: WalletProfile) {
    self =
      switch outcome {
      case .received(let payment): NotificationContent(payment)
      case .nothingReceived(let reason): Self.nothingReceived(for: reason, wallet.texts)
      case .partsWait: .note("Payment incoming", "Part of it has arrived. Waiting for the rest.")
      case .partsGivenBack:
        .note("Payment not received", "The sender did not send all of it; the received parts were returned.")
      case .appContinues: .note("Payment incoming", "The wallet is open: check there whether it arrived.")
      case .usedByAnotherDevice:
        .note("Wallet on another device", "This wallet is used on another device: check there.")
      case .announced(let announcement):
        wallet.texts.announced?.text(of: announcement) ?? wallet.texts.unreadable
      }
  }

  public init(_ payment: ReceivedPayment) {
    let amount = AmountText.words(msat: payment.amountMsat)
    self.init(
      title: "Received payment", body: payment.text.isEmpty ? "+\(amount)" : "+\(amount): \(payment.text)",
      badgeIncrement: 1, kind: .payment)
  }

  private init(title: String, body: String, badgeIncrement: Int, kind: Kind) {
    self.title = title
    self.body = body
    self.badgeIncrement = badgeIncrement
    self.kind = kind
  }

  private static func nothingReceived(
    for reason: Push.Reason, _ texts: NotificationTexts
  ) -> NotificationContent {
    switch reason {
    case .incomingPayment: .note("Missed incoming payment", "Open the wallet and ask the sender to retry.")
    case .pendingSettlement: .note("Please open the wallet", "An incoming settlement is pending.")
    case .other: .note("Wallet", "Is running in the background.")
    case .unreadable: texts.unreadable
    }
  }

  static func note(_ title: String, _ body: String) -> NotificationContent {
    NotificationContent(title: title, body: body, badgeIncrement: 0, kind: .note)
  }

  static func urgent(_ title: String, _ body: String) -> NotificationContent {
    NotificationContent(title: title, body: body, badgeIncrement: 0, kind: .payment)
  }
}
