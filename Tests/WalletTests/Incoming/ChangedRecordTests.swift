@testable import Wallet

/// The extension announces a payment once more, after the app has read its record and before it removes it.
@Suite("Records that change before they are removed") struct ChangedRecordTests {
  private let one = hash("1")
  private let two = hash("2")

  private func record(_ hash: Bytes32, heldUntil end: Int64? = nil) -> IncomingRecord {
    IncomingRecord(
      paymentHash: hash, amountMsat: 5000, kind: .incomingHtlc, isHeld: end != nil, holdEndsAt: end)
  }

  private func payment(_ hash: Bytes32) -> ReceivedPayment {
    ReceivedPayment(paymentHash: hash, amountMsat: 5000, text: "")
  }

  private func read(_ records: [IncomingRecord], received: [ReceivedPayment] = []) -> IncomingEvent {
    .recordsRead(records, received: received, atWallSeconds: 1000)
  }

  /// In front and connected, with these records.
  private func connected(_ records: [IncomingRecord]) -> IncomingPayments {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    _ = core.handle(read(records), at: seconds(0))
    _ = core.handle(.shown(.connected(8)), at: seconds(1))
    _ = core.handle(read(records), at: seconds(1))
    return core
  }

  @Test func `A record that changed since it was read stays: it is read again, and its payment awaited`() {
    var core = connected([record(one, heldUntil: 1010), record(two)])
    for hash in [one, two] { _ = core.handle(.holdEnded(hash), at: seconds(2)) }
    // The sender has tried again, and no read succeeds meanwhile.
    let ended = [record(one, heldUntil: 1010), record(two)]
    expect(core.handle(.tidyAsked, at: seconds(3)), is: [.remove(ended)])
    expect(
      core.handle(.removed([two], changed: [one]), at: seconds(3)),
      is: [
        .tidied(.done("removed the ended records of 1 incoming payments")), .read([]),
      ])
    _ = core.handle(.shown(.idle), at: seconds(4))
    expect(
      core.handle(read([record(one, heldUntil: 1080)]), at: seconds(4)), is: [.show(.incoming(.connecting))])
    expect(
      core.handle(.tidyAsked, at: seconds(5)), is: [.tidied(.done("no ended record of an incoming payment"))])
  }

  @Test func `A received payment's record that changed is removed as it is read again`() {
    var core = connected([record(one)])
    _ = core.handle(.received(payment(one)), at: seconds(2))
    _ = core.handle(.tidyAsked, at: seconds(3))
    _ = core.handle(.removed([], changed: [one]), at: seconds(3))
    let changed = record(one, heldUntil: 1080)
    #expect(core.handle(read([changed], received: [payment(one)]), at: seconds(3)).contains(.tidyWanted))
    expect(core.handle(.tidyAsked, at: seconds(4)), is: [.remove([changed])])
    // In the background it is only kept in mind.
    var away = connected([record(two)])
    _ = away.handle(.holdEnded(two), at: seconds(2))
    _ = away.handle(.tidyAsked, at: seconds(3))
    _ = away.handle(.deactivated, at: seconds(3))
    expect(
      away.handle(.removed([], changed: [two]), at: seconds(4)),
      is: [.tidied(.done("removed the ended records of 0 incoming payments"))])
    #expect(away.payments.isEmpty)
  }
}
