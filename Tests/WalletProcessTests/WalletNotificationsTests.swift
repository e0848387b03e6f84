import DaemonRuntime
import Guardrails
import Testing


@Suite struct WalletNotificationsTests {
  private func fields(_ outcome: PushOutcome) -> ControlMessage {
    ControlMessage(
      "content", fields: WalletNotifications.fields(of: NotificationContent(outcome, of: .phoenix)))
  }

  @Test
  func `B-1.2.4 A received payment's notification is time-sensitive, with default sound and category`() {
    let message = fields(.received(ReceivedPayment(paymentHash: .zero, amountMsat: 5000, text: "Coffee")))
    #expect(message["title"] == "Received payment")
    #expect(message["level"] == "time-sensitive")
    #expect(message["sound"] == "default")
    #expect(message["category"] == "INCOMING_PAYMENT")
    #expect(message["badge"] == "1")
  }

  @Test func `B-1.2.4 A missed payment's notification has no level, sound or category`() {
    let message = fields(.nothingReceived(.incomingPayment))
    #expect(message["title"] == "Missed incoming payment")
    #expect(message["level"] == nil)
    #expect(message["sound"] == nil)
    #expect(message["category"] == nil)
  }
}
