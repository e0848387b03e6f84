import Ground
import Guardrails

/// The text of a notification; only made here.
public struct NotificationContent: Hashable, Sendable {
  /// The phone shows each kind in its own way.
  public enum Kind: Hashable, Sendable {
    case note
    /// A received payment.
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

  public init(_ outcome: PushOutcome) {
    switch outcome {
    case .received(let payment): self.init(payment)
    case .nothingReceived(let reason): self.init(nothingReceivedFor: reason)
    case .partsWait: self.init("Payment incoming", "Part of it has arrived. Waiting for the rest.")
    case .partsGivenBack:
      self.init(
        "Payment not received", "The sender did not send all of it; the received parts were returned.")
    case .appContinues:
      self.init("Payment incoming", "The wallet is open: check there whether it arrived.")
    case .usedByAnotherDevice:
      self.init("Wallet on another device", "This wallet is used on another device: check there.")
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
