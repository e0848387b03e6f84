@testable import Wallet

@Suite("The screen of incoming payments") struct IncomingPaymentsTests {
  private let one = hash("1")
  private let two = hash("2")

  private func record(_ hash: Bytes32, heldUntil end: Int64? = nil) -> IncomingRecord {
    IncomingRecord(
      paymentHash: hash, amountMsat: 5000, kind: .incomingHtlc, isHeld: end != nil, holdEndsAt: end)
  }

  private func payment(_ hash: Bytes32, msat: UInt64 = 5000) -> ReceivedPayment {
    ReceivedPayment(paymentHash: hash, amountMsat: msat, text: "")
  }

  private func announced(_ hash: Bytes32, heldUntil end: Int64? = nil) -> IncomingEvent {
    .told(
      Announcement(
        kind: .incomingHtlc, paymentHash: hash, amountMsat: 5000, isHeld: end != nil, holdEndsAt: end),
      atWallSeconds: 1000)
  }

  private func read(_ records: [IncomingRecord], received: [ReceivedPayment] = []) -> IncomingEvent {
    .recordsRead(records, received: received, atWallSeconds: 1000)
  }

  /// In front, with these records read at 0 s.
  private func opened(_ records: [IncomingRecord] = []) -> IncomingPayments {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    _ = core.handle(read(records), at: seconds(0))
    return core
  }

  /// The same, and connected at 1 s.
  private func connected(_ records: [IncomingRecord] = []) -> IncomingPayments {
    var core = opened(records)
    _ = core.handle(.shown(.connected(8)), at: seconds(1))
    _ = core.handle(read(records), at: seconds(1))
    return core
  }

  private var withdrawn: IncomingDirective { .withdrawAnnouncement(of: one) }
  private let main = IncomingDirective.show(.page(.main))
  private let connecting = IncomingDirective.show(.incoming(.connecting))
  private let completing = IncomingDirective.show(.incoming(.completing))
  private let expired = IncomingDirective.show(.incoming(.expired))
  private func completed(_ sats: UInt64) -> IncomingDirective { .show(.incoming(.completed(sats: sats))) }

  // MARK: The states

  @Test func `A record that is found after the sender has tried again stays while the parts come`() {
    var core = IncomingPayments()
    _ = core.handle(.shown(.connected(8)), at: seconds(0))
    _ = core.handle(.holdEnded(one), at: seconds(0))
    _ = core.handle(.collecting([one]), at: seconds(1))
    _ = core.handle(.activated, at: seconds(2))
    let directives = core.handle(read([record(one)]), at: seconds(2))
    #expect(!directives.contains(.tidyWanted) && !directives.contains(expired))
    // Without another attempt the hold's end is the payment's.
    var ended = IncomingPayments()
    _ = ended.handle(.shown(.connected(8)), at: seconds(0))
    _ = ended.handle(.holdEnded(one), at: seconds(0))
    _ = ended.handle(.activated, at: seconds(2))
    #expect(ended.handle(read([record(one)]), at: seconds(2)).contains(.tidyWanted))
  }

  @Test(.shows("B-1.5s.1"))
  func `The records are read when the app comes to the front, and the screen connects first`() {
    var core = IncomingPayments()
    expect(core.handle(.activated, at: seconds(0)), is: [.read([]), main])
    expect(core.handle(read([record(one)]), at: seconds(0)), is: [connecting])
    expect(AppScreen.incoming(.connecting).text, is: "Connecting to Lightning peer...")
    expect(AppScreen.incoming(.connecting).buttons, is: [])
  }

  @Test(.shows("B-1.5s.2", "B-1.5s.3", "B-1.5s.7", "B-1.4.6"))
  func `Then it completes the payment, and says what was received`() {
    var core = opened([record(one)])
    expect(core.handle(.shown(.connecting(8)), at: seconds(1)), is: [])
    expect(core.handle(.shown(.connected(8)), at: seconds(2)), is: [.read([]), completing])
    expect(core.handle(read([record(one)]), at: seconds(2)), is: [])
    expect(AppScreen.incoming(.completing).text, is: "Completing payment...")
    expect(core.handle(.shown(.settling(8)), at: seconds(3)), is: [])
    expect(core.handle(.received(payment(one)), at: seconds(3)), is: [withdrawn, .tidyWanted, completed(5)])
    expect(AppScreen.incoming(.completed(sats: 5)).text, is: "Received 5 sats")
    #expect(!core.isWaiting && core.deadline == seconds(4))
    expect(core.handle(.deadlineReached, at: seconds(4)), is: [withdrawn, .read([])])
    #expect(core.handle(read([]), at: seconds(4)) == [] && core.deadline == nil)
  }

  @Test func `A lost connection leads back to connecting`() {
    var core = connected([record(one)])
    expect(core.handle(.shown(.connecting(8)), at: seconds(2)), is: [connecting])
    expect(core.handle(.shown(.connected(8)), at: seconds(3)), is: [completing])
  }

  @Test(.shows("G-1", "B-1.5s.4", "B-1.5s.7"))
  func `When the peer ends the hold, the payment has expired at once`() {
    for isConnected in [false, true] {
      var core = isConnected ? connected([record(one)]) : opened([record(one)])
      expect(core.handle(.holdEnded(one), at: seconds(2)), is: [.tidyWanted, expired])
    }
    let screen = AppScreen.incoming(.expired)
    #expect(screen.text == "Payment expired or canceled" && screen.detail == "Ask sender to retry")
    expect(screen.buttons.map(\.title), is: ["Retry Now", "Copy Message for Sender"])
  }

  @Test
  func `A held payment is awaited until its hold ends, and its record kept while the node is not connected`()
  {
    var core = opened([record(one, heldUntil: 1020)])
    expect(core.deadline, is: seconds(20))
    expect(core.handle(.deadlineReached, at: seconds(19)), is: [])
    expect(core.handle(.deadlineReached, at: seconds(20)), is: [expired])
    // The peer may have more patience than its push says.
    expect(core.handle(.shown(.settling(8)), at: seconds(21)), is: [.read([])])
    expect(core.handle(.received(payment(one)), at: seconds(22)), is: [withdrawn, .tidyWanted, completed(5)])
  }

  @Test func `A connected node is given five seconds before an expired payment counts as over`() {
    var core = opened([record(one, heldUntil: 990)])
    expect(core.handle(.shown(.connected(8)), at: seconds(3)), is: [.read([]), completing])
    _ = core.handle(read([record(one, heldUntil: 990)]), at: seconds(3))
    expect(core.deadline, is: seconds(8))
    expect(core.handle(.deadlineReached, at: seconds(8)), is: [.tidyWanted, expired])
  }

  @Test func `A payment that expired without a connection is over only five seconds after the connection`() {
    var core = opened([record(one, heldUntil: 1002)])
    expect(core.handle(.deadlineReached, at: seconds(2)), is: [expired])
    expect(
      core.handle(.tidyAsked, at: seconds(2)), is: [.tidied(.done("no ended record of an incoming payment"))])
    _ = core.handle(.shown(.connected(8)), at: seconds(4))
    _ = core.handle(read([record(one, heldUntil: 1002)]), at: seconds(4))
    expect(core.deadline, is: seconds(9))
    expect(core.handle(.deadlineReached, at: seconds(9)), is: [.tidyWanted])
    expect(core.handle(.tidyAsked, at: seconds(9)), is: [.remove([record(one, heldUntil: 1002)])])
  }

  @Test func `While the node is receiving, no payment expires`() {
    var core = connected([record(one, heldUntil: 1010)])
    _ = core.handle(.shown(.settling(8)), at: seconds(9))
    #expect(core.deadline == nil)
    expect(core.handle(.deadlineReached, at: seconds(30)), is: [])
    _ = core.handle(.shown(.connected(8)), at: seconds(31))
    expect(core.deadline, is: seconds(36))
  }

  @Test func `Without a connection a payment whose hold is not known expires after thirty seconds`() {
    let core = opened([record(one)])
    expect(core.deadline, is: seconds(30))
  }

  // MARK: Taps

  @Test(.shows("B-1.4.5"))
  func `A tap names its payment: without a record the screen follows it all the same`() {
    var core = opened()
    expect(core.handle(announced(one, heldUntil: 1020), at: seconds(1)), is: [.read([one]), connecting])
    expect(core.handle(read([]), at: seconds(1)), is: [])
    expect(core.deadline, is: seconds(21))
  }

  @Test(.shows("B-1.4.5")) func `A tap on a payment that was received meanwhile says so`() {
    var core = opened()
    _ = core.handle(announced(one), at: seconds(1))
    expect(core.handle(read([], received: [payment(one)]), at: seconds(1)), is: [withdrawn, completed(5)])
  }

  @Test func `A tap that comes before the first read is answered is asked about right after it`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    expect(core.handle(announced(one), at: seconds(0)), is: [connecting])
    expect(core.deadline, is: seconds(30))
    _ = core.handle(read([]), at: seconds(0))
    expect(core.deadline, is: seconds(0))
    expect(core.handle(.deadlineReached, at: seconds(0)), is: [.read([one])])
  }

  @Test func `A notification without a payment, or without a readable payload, opens the page alone`() {
    var core = opened()
    let order = IncomingEvent.told(Announcement(kind: .orderPaymentConfirmed), atWallSeconds: 1000)
    for event in [order, .told(nil, atWallSeconds: 1000)] {
      expect(core.handle(event, at: seconds(1)), is: [])
    }
  }

  // MARK: Counted once

  @Test func `A payment that record, tap and node all know counts once`() {
    var core = connected([record(one)])
    _ = core.handle(announced(one), at: seconds(2))
    _ = core.handle(read([record(one)]), at: seconds(2))
    expect(core.handle(.received(payment(one)), at: seconds(3)), is: [withdrawn, .tidyWanted, completed(5)])
    expect(core.handle(.received(payment(one)), at: seconds(3)), is: [])
    expect(core.handle(read([record(one)], received: [payment(one)]), at: seconds(4)), is: [])
  }

  @Test(.shows("G-7"))
  func `Two records are two payments: the screen waits for both, and adds up what was received`() {
    var core = connected([record(one), record(two)])
    expect(core.handle(.received(payment(one)), at: seconds(2)), is: [withdrawn, .tidyWanted])
    expect(
      core.handle(.received(payment(two, msat: 7999)), at: seconds(3)),
      is: [
        .withdrawAnnouncement(of: two), completed(12),
      ])
  }

  @Test func `What was shown before the next payment began is not added to it`() {
    var core = connected([])
    expect(core.handle(.received(payment(one)), at: seconds(2)), is: [withdrawn, completed(5)])
    expect(core.handle(announced(two), at: seconds(9)), is: [.read([two]), completing])
    expect(
      core.handle(.received(payment(two)), at: seconds(10)),
      is: [.withdrawAnnouncement(of: two), completed(5)])
  }

  @Test func `The tapped payment's end is shown before that of others`() {
    var core = connected([record(one)])
    _ = core.handle(announced(two), at: seconds(2))
    _ = core.handle(.received(payment(one)), at: seconds(3))
    expect(core.handle(.holdEnded(two), at: seconds(4)), is: [expired])
  }

  // MARK: Kills

  @Test func `A process killed before the node has received finds the record again`() {
    var next = IncomingPayments()
    _ = next.handle(.activated, at: seconds(0))
    expect(next.handle(read([record(one)]), at: seconds(0)), is: [connecting])
  }

  @Test
  func
    `A process killed after the node has received shows the payment at its next start, then forgets the record`()
  {
    var next = IncomingPayments()
    _ = next.handle(.activated, at: seconds(0))
    expect(
      next.handle(read([record(one)], received: [payment(one)]), at: seconds(0)),
      is: [
        withdrawn, .tidyWanted, completed(5),
      ])
    expect(next.handle(.tidyAsked, at: seconds(1)), is: [.remove([record(one)])])
    expect(
      next.handle(.removed([one]), at: seconds(1)),
      is: [
        withdrawn, .tidied(.done("removed the ended records of 1 incoming payments")),
      ])
    expect(
      next.handle(.tidyAsked, at: seconds(2)), is: [.tidied(.done("no ended record of an incoming payment"))])
  }

  @Test
  func `A payment whose HTLC was still in the channel at the start is found once the node is connected`() {
    var next = opened([record(one)])
    expect(next.handle(.shown(.connected(8)), at: seconds(1)), is: [.read([]), completing])
    expect(
      next.handle(read([record(one)], received: [payment(one)]), at: seconds(1)),
      is: [
        withdrawn, .tidyWanted, completed(5),
      ])
  }

  @Test func `A record that the extension stores after the app has received its payment is found and ended`()
  {
    var core = connected()
    expect(core.handle(.received(payment(one)), at: seconds(2)), is: [withdrawn, completed(5)])
    expect(core.deadline, is: seconds(3))
    expect(core.handle(.deadlineReached, at: seconds(3)), is: [withdrawn, .read([])])
    expect(core.handle(read([record(one)]), at: seconds(3)), is: [.tidyWanted])
    expect(core.handle(.tidyAsked, at: seconds(4)), is: [.remove([record(one)])])
  }

  @Test func `A record that could not be removed is removed by a later step`() {
    var core = connected([record(one)])
    _ = core.handle(.holdEnded(one), at: seconds(2))
    _ = core.handle(.tidyAsked, at: seconds(3))
    expect(
      core.handle(.notRemoved(.blocked(pid: 7, isStopped: false)), at: seconds(3)),
      is: [.tidied(.busy("another process uses the records"))])
    expect(core.handle(.notRemoved(.failed("no space")), at: seconds(3)), is: [.tidied(.failed("no space"))])
    expect(core.handle(.tidyAsked, at: seconds(4)), is: [.remove([record(one)])])
  }

  @Test func `Records that cannot be read are read again every 250 ms while the app is in front`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    expect(core.handle(.recordsNotRead(.blocked(pid: nil, isStopped: false)), at: seconds(1)), is: [])
    expect(core.deadline, is: seconds(1) + .milliseconds(250))
    expect(core.handle(.deadlineReached, at: seconds(2)), is: [.read([])])
    _ = core.handle(.recordsNotRead(.failed("broken")), at: seconds(2))
    expect(core.handle(.deactivated, at: seconds(3)), is: [])
    #expect(core.deadline == nil)
  }

  @Test func `Records that stay unreadable, as in a damaged store, are read ever more seldom`() {
    var core = IncomingPayments()
    var now = seconds(0)
    _ = core.handle(.activated, at: now)
    func pause(after trouble: Trouble) -> Int64? {
      _ = core.handle(.recordsNotRead(trouble), at: now)
      let pause = core.deadline.map { ($0 - now).wholeMilliseconds }
      now = core.deadline ?? now
      expect(core.handle(.deadlineReached, at: now), is: [.read([])])
      return pause
    }
    #expect(
      (1...7).map { _ in pause(after: .failed("damaged")) } == [250, 500, 1000, 2000, 4000, 4000, 4000])
    // A busy store is free in a moment.
    expect(pause(after: .blocked(pid: nil, isStopped: false)), is: 4000)
    expect(pause(after: .blocked(pid: nil, isStopped: false)), is: 250)
    expect(pause(after: .failed("damaged")), is: 250)
    _ = core.handle(read([]), at: now)
    _ = core.handle(.deactivated, at: now)
    _ = core.handle(.activated, at: now)
    expect(pause(after: .failed("damaged")), is: 250)
  }

  @Test func `A hold that ended before the records were read ends its payment when they are`() {
    var core = IncomingPayments()
    _ = core.handle(.activated, at: seconds(0))
    _ = core.handle(.shown(.connected(8)), at: seconds(1))
    expect(core.handle(.holdEnded(one), at: seconds(1)), is: [])
    expect(core.handle(read([record(one)]), at: seconds(2)), is: [.tidyWanted, expired])
  }

  // MARK: Leaving and coming back

  @Test func `In the background nothing is shown, timed or removed; a record's end is known all the same`() {
    var core = connected([record(one), record(two)])
    _ = core.handle(.holdEnded(two), at: seconds(2))
    expect(core.handle(.deactivated, at: seconds(3)), is: [])
    #expect(core.deadline == nil && !core.isWaiting)
    expect(core.handle(.received(payment(one)), at: seconds(4)), is: [])
    // The ended one is not shown again, and the other was received meanwhile.
    expect(core.handle(.activated, at: seconds(5)), is: [.read([]), main])
    expect(
      core.handle(read([record(one), record(two)], received: [payment(one)]), at: seconds(5)),
      is: [
        withdrawn, completed(5),
      ])
    expect(core.handle(.tidyAsked, at: seconds(6)), is: [.remove([record(two), record(one)])])
  }

  @Test func `A payment that is announced again after its end is awaited again`() {
    var core = connected([record(one, heldUntil: 1010)])
    _ = core.handle(.holdEnded(one), at: seconds(2))
    _ = core.handle(.deactivated, at: seconds(3))
    _ = core.handle(.shown(.idle), at: seconds(4))
    _ = core.handle(.activated, at: seconds(60))
    expect(core.handle(read([record(one, heldUntil: 1080)]), at: seconds(60)), is: [connecting])
    expect(
      core.handle(.tidyAsked, at: seconds(61)), is: [.tidied(.done("no ended record of an incoming payment"))]
    )
  }

  @Test(.shows("B-1.5s.5")) func `Retry Now connects once more and waits again`() {
    var core = connected([record(one)])
    _ = core.handle(.holdEnded(one), at: seconds(2))
    expect(
      core.handle(.pressed("a", .retry), at: seconds(3)),
      is: [.connectAgain, .answerPress("a", refusal: nil), connecting])
    expect(core.handle(.shown(.connecting(8)), at: seconds(3)), is: [])
    expect(core.handle(.shown(.connected(8)), at: seconds(4)), is: [completing])
    expect(core.deadline, is: seconds(9))
    expect(core.handle(read([record(one)]), at: seconds(4)), is: [])  // the earlier hold's end is forgotten
    // Unless the sender has tried again, the peer says once more that it holds nothing.
    expect(core.handle(.holdEnded(one), at: seconds(5)), is: [.tidyWanted, expired])
  }

  @Test(.shows("B-1.5s.6")) func `Copy Message for Sender puts the sentence on the pasteboard`() {
    var core = connected([record(one)])
    _ = core.handle(.holdEnded(one), at: seconds(2))
    let text = "My wallet needs me to open the app to receive. Please retry in 10 seconds."
    expect(
      core.handle(.pressed("a", .copy), at: seconds(3)), is: [.copy(text), .answerPress("a", refusal: nil)])
  }

  @Test func `A button that the screen does not have is refused with a sentence`() {
    var core = opened([record(one)])
    let refusal = "the screen has no button “Retry Now” now: it shows “Connecting to Lightning peer...”"
    expect(core.handle(.pressed("a", .retry), at: seconds(1)), is: [.answerPress("a", refusal: refusal)])
  }

  @Test(.shows("B-S.3")) func `A link opens its page, behind a payment that is still awaited`() {
    var core = opened()
    expect(core.handle(.linkFollowed(.subscriptions), at: seconds(1)), is: [.show(.page(.subscriptions))])
    expect(core.handle(announced(one), at: seconds(2)).last, is: connecting)
    expect(core.handle(.linkFollowed(.subscriptions), at: seconds(3)), is: [])
    _ = core.handle(.received(payment(one)), at: seconds(4))
    expect(core.handle(.linkFollowed(.subscriptions), at: seconds(5)), is: [.show(.page(.subscriptions))])
  }

  @Test(
    .shows("B-S.3"),
    arguments: [
      ("bitkit://subscriptions", AppPage.subscriptions), ("bitkit:subscriptions?x=1", .subscriptions),
      ("BITKIT://Subscriptions/", .subscriptions), ("bitkit://", nil), ("bitkit://main", nil),
      ("bitkit://subscriptions/7", nil), ("nothing", nil),
    ])
  func `A link's page is read from its text`(link: String, page: AppPage?) {
    expect(AppPage(link: link), is: page)
  }
}
