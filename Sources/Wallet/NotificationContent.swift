import Ground
import Guardrails

/// The text of a notification. Made here and nowhere else.
public struct NotificationContent: Hashable, Sendable {
  /// Of what kind it is: the phone shows each in its way.
  public enum Kind: Hashable, Sendable {
    case note
    /// Money has come.
    case payment
  }

  public let title: String
  public let body: String
  /// How much the badge grows.
  public let badgeIncrement: Int
  public let kind: Kind

  /// The category of each notification of money, which the app registers.
  public static let paymentCategory = "INCOMING_PAYMENT"
  /// Money is worth a disturbance, and not a critical one: that takes an entitlement which wallets do not get. In the words of
  /// UNNotificationInterruptionLevel.
  public var level: String? { kind == .payment ? "time-sensitive" : nil }
  public var sound: String? { kind == .payment ? "default" : nil }
  public var category: String? { kind == .payment ? Self.paymentCategory : nil }

  public init(_ outcome: PushOutcome) {
    switch outcome {
    case .received(let payment): self.init(payment)
    case .nothingReceived(let reason): self.init(nothingReceivedFor: reason)
    case .partsWait: self.init("Payment incoming", "A part of it has come. The rest is awaited.")
    case .partsGivenBack:
      self.init("Payment not received", "Its sender did not send all of it, and has it back.")
    case .appContinues:
      self.init("Payment incoming", "The wallet is open: look there whether it has come.")
    }
  }

  public init(_ payment: ReceivedPayment) {
    let amount = AmountText.words(msat: payment.amountMsat)
    title = "Received payment"
    body = payment.text.isEmpty ? "+\(amount)" : "+\(amount): \(payment.text)"
    badgeIncrement = 1
    kind = .payment
  }

  private init(nothingReceivedFor reason: Push.Reason) {
    switch reason {
    case .incomingPayment:
      self.init("Missed incoming payment", "Open the wallet and ask the sender to retry.")
    case .pendingSettlement: self.init("Please open the wallet", "An incoming settlement is pending.")
    case .onionMessage: self.init("Wallet", "Is running in the background.")
    case .unreadable: self.init("Wallet", "Open the wallet to check for new activity.")
    }
  }

  private init(_ title: String, _ body: String) {
    self.title = title
    self.body = body
    badgeIncrement = 0
    kind = .note
  }
}
