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

  private func read(_ records: [IncomingRecord], received: [ReceivedPayment]) -> IncomingEvent {
    .recordsRead(records, received: received, atWallSeconds: 1000)
  }

  @Test func `The app in front withdraws what is received; in the background its notification does`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    expect(withdrawn(core.handle(.received(received(one)), at: seconds(2))), is: [one])
    _ = core.handle(.deactivated, at: seconds(3))
    expect(core.handle(.received(received(two)), at: seconds(4)), is: [])
  }

  @Test func `An announcement that comes within a second of the records' reading goes as well`() {
    var core = IncomingPayments()
    _ = core.handle(.received(received(one)), at: seconds(0))
    _ = core.handle(.activated, at: seconds(0.1))
    let found = read([record(one)], received: [received(one)])
    expect(withdrawn(core.handle(found, at: seconds(0.1))), is: [one])
    // The extension has stored another announcement before, and tells of it only now. The record is removed meanwhile.
    _ = core.handle(.tidyAsked, at: seconds(0.9))
    _ = core.handle(.removed([one]), at: seconds(0.9))
    expect(core.deadline, is: seconds(1.1))
    expect(core.handle(.deadlineReached, at: seconds(1.1)), is: [.withdrawAnnouncement(of: one), .read([])])
    #expect(core.handle(read([], received: []), at: seconds(1.1)) == [] && core.deadline == nil)
  }

  @Test func `In one stay in front each announcement is withdrawn twice, however often the records are read`()
  {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    let found = read([record(one), record(two)], received: [received(one), received(two)])
    expect(withdrawn(core.handle(found, at: seconds(0))), is: [one, two])
    expect(core.handle(.shown(.connected(8)), at: seconds(0.5)), is: [.read([])])
    expect(withdrawn(core.handle(found, at: seconds(0.5))), is: [])
    expect(withdrawn(core.handle(.deadlineReached, at: seconds(1))), is: [one, two])
    #expect(withdrawn(core.handle(found, at: seconds(1))) == [] && core.deadline == nil)
    _ = core.handle(.deactivated, at: seconds(2))
    _ = core.handle(.activated, at: seconds(3))
    expect(withdrawn(core.handle(found, at: seconds(3))), is: [one, two])
  }

  @Test func `A record that comes later than the late read takes its announcement with it`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    _ = core.handle(read([], received: []), at: seconds(0))
    expect(withdrawn(core.handle(.received(received(one)), at: seconds(1))), is: [one])
    expect(withdrawn(core.handle(.deadlineReached, at: seconds(2))), is: [one])
    _ = core.handle(read([], received: []), at: seconds(2))
    // The extension announces the payment only now; the receipt of another one leads to the record.
    _ = core.handle(.received(received(two)), at: seconds(4))
    expect(withdrawn(core.handle(.deadlineReached, at: seconds(5))), is: [two])
    _ = core.handle(read([record(one)], received: [received(one)]), at: seconds(5))
    expect(core.handle(.tidyAsked, at: seconds(6)), is: [.remove([record(one)])])
    expect(withdrawn(core.handle(.removed([one]), at: seconds(6))), is: [one])
  }

  @Test func `More receipts do not delay the late read of an earlier one`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    _ = core.handle(read([], received: []), at: seconds(0))
    _ = core.handle(.received(received(one)), at: seconds(1))
    _ = core.handle(.received(received(two)), at: seconds(1.9))
    expect(core.deadline, is: seconds(2))
    expect(withdrawn(core.handle(.deadlineReached, at: seconds(2))), is: [one])
    _ = core.handle(read([], received: []), at: seconds(2))
    expect(core.deadline, is: seconds(2.9))
    expect(withdrawn(core.handle(.deadlineReached, at: seconds(2.9))), is: [two])
  }

  @Test func `An announcement that came after the receipt goes when the app comes to the front`() {
    var core = IncomingPayments()
    _ = core.handle(.received(received(one)), at: seconds(0))
    expect(withdrawn(core.handle(.activated, at: seconds(9))), is: [])
    let read = IncomingEvent.recordsRead(
      [record(one), record(two)], received: [received(one)], atWallSeconds: 1000)
    expect(withdrawn(core.handle(read, at: seconds(9))), is: [one])
  }
}
