@testable import Wallet

/// The end comes from a push, which may say anything: no sum with it may overflow.
@Suite("The end of a hold") struct HoldEndTests {
  @Test(arguments: [1000 + 7200, Int64.max, .min])
  func `A payment whose hold has an absurd end is awaited for an hour at most`(end: Int64) {
    let announcement = Announcement(
      kind: .incomingHtlc, paymentHash: hash("1"), amountMsat: 5000, isHeld: true, holdEndsAt: end)
    let record = IncomingRecord(
      paymentHash: hash("1"), amountMsat: 5000, kind: .incomingHtlc, isHeld: true, holdEndsAt: end)
    for event in [
      .recordsRead([record], received: [], atWallSeconds: 1000), .told(announcement, atWallSeconds: 1000),
    ] as [IncomingEvent] {
      var core = IncomingPayments()
      _ = core.handle(.activated, at: seconds(0))
      _ = core.handle(.recordsRead([], received: [], atWallSeconds: 1000), at: seconds(0))
      _ = core.handle(event, at: seconds(0))
      expect(core.deadline, is: seconds(end > 0 ? 3600 : 5))
    }
  }
}
