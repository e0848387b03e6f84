import Ground
import TestKit

@testable import Baton
@testable import PhonePolicy

@Suite struct PhoneNoteTests {
  private func waiting(_ state: String, seconds: Int64) -> Finding? {
    let row = { PeerPaymentRow(id: 1, paymentHash: "", amountMsat: 1, state: state, requestedAtNs: $0) }
    let now = Instant(nanoseconds: 1_000_000_000_000)
    return Finding.waiting(
      [row(now.nanoseconds - seconds * 1_000_000_000), row(now.nanoseconds)], at: now)
  }

  @Test func `A payment that is held or offered for longer than a minute is a finding, and no other one is`()
  {
    #expect(waiting("offered", seconds: 60) == nil)
    let late = "2 payments wait at the peer, the oldest for"
    expect(waiting("offered", seconds: 61)?.what.hasPrefix("\(late) 61 s; 2 of them offered "), is: true)
    expect(waiting("held", seconds: 600)?.what.hasPrefix("\(late) 600 s; 0 of them offered "), is: true)
    #expect(waiting("paid", seconds: 600) == nil && waiting("failed", seconds: 600) == nil)
    let finding = waiting("offered", seconds: 600)
    #expect(finding?.kind == .paymentWaits && finding?.gravity == .wrong)
    #expect(finding?.what.contains("for 600 s") == true && finding?.remedy.contains("baton status") == true)
  }
}
