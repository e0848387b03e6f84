import Ground
import Guardrails
import Testing

@testable import Wallet

@Suite("A payment without a known hold that is announced again") struct AnnouncedAgainTests {
  private let one = hash("1")
  private let connecting = IncomingDirective.show(.incoming(.connecting))

  private func record(_ hash: Bytes32) -> IncomingRecord {
    IncomingRecord(
      paymentHash: hash, amountMsat: 5000, kind: .incomingHtlc, isHeld: false, holdEndsAt: nil)
  }

  private func read(_ records: [IncomingRecord]) -> IncomingEvent {
    .recordsRead(records, received: [], atWallSeconds: 1000)
  }

  /// In front, connected, with this record read, whose hold has ended at 2 s.
  private func ended() -> IncomingPayments {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    _ = core.handle(read([record(one)]), at: seconds(0))
    _ = core.handle(.shown(.connected(8)), at: seconds(1))
    _ = core.handle(read([record(one)]), at: seconds(1))
    _ = core.handle(.holdEnded(one), at: seconds(2))
    return core
  }

  @Test func `It is awaited again after its end, by the count in its record`() {
    var core = ended()
    _ = core.handle(.deactivated, at: seconds(3))
    _ = core.handle(.shown(.idle), at: seconds(4))
    for times in [nil, 2] as [UInt64?] {
      var known = record(one)
      known.announced = times
      var reopened = core
      _ = reopened.handle(.activated, at: seconds(60))
      #expect(reopened.handle(read([known]), at: seconds(60)).contains(connecting) == (times == 2))
    }
  }

  @Test func `It is awaited again by a new record, where the old one was removed with the app in front`() {
    var core = ended()
    _ = core.handle(.removed([one]), at: seconds(3))
    _ = core.handle(.shown(.idle), at: seconds(4))
    #expect(core.handle(read([record(one)]), at: seconds(5)) == [connecting])
  }
}
