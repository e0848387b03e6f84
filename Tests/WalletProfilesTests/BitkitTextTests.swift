import Ground
import Guardrails
import Testing

/// The table of Bitkit's texts.
@Suite("Bitkit's texts") struct BitkitTextTests {
  private func content(_ kind: Announcement.Kind, isHeld: Bool = false) -> NotificationContent {
    NotificationContent(.announced(Announcement(kind: kind, isHeld: isHeld)), of: .bitkit)
  }

  private func says(_ content: NotificationContent, _ title: String, _ body: String) -> Bool {
    content.title == title && content.body == body
  }

  @Test func `B-1.3.1 An announced payment that is held says that its funds are being held`() {
    #expect(
      says(
        content(.incomingHtlc, isHeld: true), "Payment Incoming",
        "Open now to receive - funds are being held"))
  }

  @Test func `K-13 An announced payment that nobody holds does not say that funds are being held`() {
    #expect(says(content(.incomingHtlc), "Payment Incoming", "Open Bitkit to receive"))
  }

  @Test(arguments: [true, false])
  func `B-1.3.2 A payment that opens a channel says that it is received through a new channel`(isHeld: Bool) {
    #expect(
      says(
        content(.cjitPaymentArrived, isHeld: isHeld), "Payment Incoming",
        "Open now to receive via new channel"))
  }

  @Test func `B-1.3.3 A paid channel order says that the channel is ready`() {
    #expect(
      says(content(.orderPaymentConfirmed), "Channel Ready", "Open Bitkit to complete setup"))
  }

  @Test func `B-1.3.4 A mutual close says that the funds moved to savings`() {
    #expect(says(content(.mutualClose), "Channel Closed", "Funds moved to savings"))
  }

  @Test(arguments: [Push.Reason.unreadable])
  func `G-3, B-1.1.A3 A push that cannot be decrypted asks to open the wallet`(reason: Push.Reason) {
    let content = NotificationContent(.nothingReceived(reason), of: .bitkit)
    #expect(says(content, "Bitkit", "Open Bitkit to check for new activity"))
  }

  @Test(arguments: [true, false])
  func `B-1.1.5 Each kind has its own text, and all are time-sensitive with the default sound`(isHeld: Bool) {
    let all = Announcement.Kind.allCases.map { content($0, isHeld: isHeld) }
    #expect(Set(all).count == Announcement.Kind.allCases.count)
    for content in all + [NotificationContent(.nothingReceived(.unreadable), of: .bitkit)] {
      #expect(content.level == "time-sensitive" && content.sound == "default")
      #expect(content.category == "INCOMING_PAYMENT" && content.badgeIncrement == 0)
    }
  }

  @Test func `Nothing is received by a text: the badge grows only with a received payment`() {
    let payment = ReceivedPayment(paymentHash: .zero, amountMsat: 21_000, text: "coffee")
    #expect(NotificationContent(.received(payment), of: .bitkit) == NotificationContent(payment))
    #expect(NotificationContent(payment).badgeIncrement == 1)
  }

  @Test func `Phoenix never announces: such an outcome has the text of an unreadable push`() {
    let outcome = PushOutcome.announced(Announcement(kind: .incomingHtlc))
    #expect(
      NotificationContent(outcome, of: .phoenix)
        == NotificationContent(.nothingReceived(.unreadable), of: .phoenix))
  }
}
