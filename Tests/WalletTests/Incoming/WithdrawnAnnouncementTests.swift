import Ground
import Guardrails
import Testing

@testable import Wallet

@Suite("Announcements of received payments") struct WithdrawnAnnouncementTests {
  private let one = hash("1")
  private let two = hash("2")

  private func received(_ hash: Bytes32) -> ReceivedPayment {
    ReceivedPayment(paymentHash: hash, amountMsat: 5000, text: "")
  }

  private func record(_ hash: Bytes32) -> IncomingRecord {
    IncomingRecord(paymentHash: hash, amountMsat: 5000, kind: .incomingHtlc, isHeld: true, holdEndsAt: nil)
  }

  private func withdrawn(_ directives: [IncomingDirective]) -> [Bytes32] {
    directives.compactMap { if case .withdrawAnnouncement(let hash) = $0 { hash } else { nil } }
  }

  @Test func `A received payment is announced no more, in front and in the background`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    #expect(withdrawn(core.handle(.received(received(one)), at: seconds(2))) == [one])
    _ = core.handle(.deactivated, at: seconds(3))
    // The app posts a notification of its own there.
    #expect(core.handle(.received(received(two)), at: seconds(4)) == [.withdrawAnnouncement(of: two)])
  }

  @Test func `An announcement that came after the receipt goes when the app comes to the front`() {
    var core = IncomingPayments()
    _ = core.handle(.received(received(one)), at: seconds(0))
    #expect(withdrawn(core.handle(.activated, at: seconds(9))) == [])
    let read = IncomingEvent.recordsRead(
      [record(one), record(two)], received: [received(one)], atWallSeconds: 1000)
    #expect(withdrawn(core.handle(read, at: seconds(9))) == [one])
  }
}
