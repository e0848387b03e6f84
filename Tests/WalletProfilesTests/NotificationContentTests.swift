import Ground
import Guardrails
import TestKit

/// The notification for each outcome.
@Suite("The text of a notification") struct NotificationContentTests {
  private static let payment = ReceivedPayment(paymentHash: .zero, amountMsat: 21_000, text: "coffee")
  private static let secondPayment = ReceivedPayment(paymentHash: .zero, amountMsat: 1_500, text: "")

  @Test(.shows("L-K.2")) func `A received payment shows amount and description and increments the badge`() {
    let content = NotificationContent(.received(Self.payment), of: .phoenix)
    #expect(content.title == "Received payment" && content.body == "+21 sat: coffee")
    #expect(content.badgeIncrement == 1 && content.kind == .payment)
    expect(NotificationContent(.received(Self.secondPayment), of: .phoenix).body, is: "+1,500 msat")
  }

  @Test func `A payment's notification is the same for a push and without one`() {
    expect(NotificationContent(Self.payment), is: NotificationContent(.received(Self.payment), of: .phoenix))
  }

  @Test(
    arguments: [
      (
        .nothingReceived(.incomingPayment), "Missed incoming payment",
        "Open the wallet and ask the sender to retry."
      ),
      (.nothingReceived(.pendingSettlement), "Please open the wallet", "An incoming settlement is pending."),
      (.nothingReceived(.other), "Wallet", "Is running in the background."),
      (.nothingReceived(.unreadable), "Wallet", "Open the wallet to check for new activity."),
      (.partsWait, "Payment incoming", "Part of it has arrived. Waiting for the rest."),
      (
        .partsGivenBack, "Payment not received",
        "The sender did not send all of it; the received parts were returned."
      ),
      (.appContinues, "Payment incoming", "The wallet is open: check there whether it arrived."),
      (
        .usedByAnotherDevice, "Wallet on another device",
        "This wallet is used on another device: check there."
      ),
    ] as [(PushOutcome, String, String)])
  func `Every push's outcome but a received payment has its own text and leaves the badge unchanged`(
    outcome: PushOutcome, title: String, body: String
  ) {
    let content = NotificationContent(outcome, of: .phoenix)
    #expect(content.title == title && content.body == body)
    #expect(content.badgeIncrement == 0 && content.kind == .note)
  }
}
