import Ground
import PhonePolicy
import Testing

@testable import Baton

@Suite struct PhoneNoteTests {
  private func waiting(_ state: String, seconds: Int64) -> PhoneNote? {
    let row = { PeerPaymentRow(id: 1, paymentHash: "", amountMsat: 1, state: state, requestedAtNs: $0) }
    let now = Instant(nanoseconds: 1_000_000_000_000)
    return PhoneNote.waiting(
      [row(now.nanoseconds - seconds * 1_000_000_000), row(now.nanoseconds)], at: now)
  }

  @Test func `A payment that is held or offered for longer than a minute is a finding, and no other one is`()
  {
    #expect(waiting("offered", seconds: 60) == nil)
    #expect(waiting("offered", seconds: 61) == .waiting(2, offered: 2, .seconds(61)))
    #expect(waiting("held", seconds: 600) == .waiting(2, offered: 0, .seconds(600)))
    #expect(waiting("paid", seconds: 600) == nil && waiting("failed", seconds: 600) == nil)
    let finding = waiting("offered", seconds: 600)?.finding
    #expect(finding?.kind == .paymentWaits && finding?.gravity == .wrong)
    #expect(finding?.what.contains("for 600 s") == true && finding?.remedy.contains("baton status") == true)
  }
}
