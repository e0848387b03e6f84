@testable import Lightning
@testable import Wallet

/// The whole wallet of an app that completes what its extension announces.
@Suite("An app that completes payments") struct CompletingAppTests {
  private let record = IncomingRecord(
    paymentHash: hash("1"), amountMsat: 5000, kind: .incomingHtlc, isHeld: false, holdEndsAt: nil)

  private func read(_ records: [IncomingRecord]) -> WalletEvent {
    .incoming(.recordsRead(records, received: [], atWallSeconds: 1000))
  }

  @Test func `An app in the foreground reads the records before its node is claimed`() {
    var app = TestWallet<AppMachine>(completes: true)
    app.play(.guardrail(.launched))
    let orders = app.send(.enteredForeground)
    #expect(orders.contains(.container(.readIncoming([]))) && orders.contains(.container(.guardrail(.look))))
    expect(app.send(read([record])), is: [.phone(.showScreen(.incoming(.connecting)))])
    expect(app.steps, is: [.setup])
  }

  @Test(.shows("B-1.4.1", "B-1.4.2", "B-1.4.3", "B-1.4.4"))
  func `The node's own steps are the opening's: deferred work comes last`()
    throws
  {
    var (app, steps) = try TestWallet.completing()
    expect(steps, is: [.setup, .start, .peers, .sync])
    app.play(read([]))
    expect(app.wallet.deadline.map { $0 <= seconds(1) }, is: true)
    let orders = app.send(WalletEvent.deadlineReached, at: 1.5)
    expect(app.steps.last, is: .deferred)
    // There is no ended record, so the journals come next.
    #expect(!orders.contains(.phone(.tidyJournals)))
    #expect(app.send(WalletEvent.deadlineReached, at: 1.7).contains(.phone(.tidyJournals)))
  }

  @Test func `An awaited payment keeps deferred work waiting until the peer has ended its hold`() throws {
    var (app, _) = try TestWallet.completing()
    app.play(read([record]))
    _ = app.send(WalletEvent.deadlineReached, at: 2)
    expect(app.steps.last, is: .sync)
    app.play(.incoming(.holdEnded(hash("1"))))
    let orders = app.send(WalletEvent.deadlineReached, at: 3.5)
    #expect(app.steps.last == .deferred && orders.contains(.container(.removeIncoming([record]))))
    app.play(.incoming(.removed([hash("1")])))
    #expect(app.send(WalletEvent.deadlineReached, at: 4).contains(.phone(.tidyJournals)))
  }

  @Test func `A payment whose HTLC is not committed yet, as on a slow connection, does not expire`() throws {
    var (app, _) = try TestWallet.completing()
    app.play(read([record]))
    let offer = Message.addHTLC(
      AddHTLC(channel: hash("2"), id: 0, amountMsat: 5000, paymentHash: hash("1"), cltvExpiry: 700))
    app.play(.node(.received(offer)))
    expect(app.wallet.node.arriving, is: [hash("1")])
    #expect(!app.send(WalletEvent.deadlineReached, at: 9).contains(.phone(.showScreen(.incoming(.expired)))))
    // Without the offer its time is over.
    var (other, _) = try TestWallet.completing()
    other.play(read([record]))
    #expect(other.send(WalletEvent.deadlineReached, at: 9).contains(.phone(.showScreen(.incoming(.expired)))))
    expect(other.wallet.node.arriving, is: [])
  }

  @Test(.shows("B-1.5s.5")) func `Retry Now makes the node dial again, although it is connected`() throws {
    var (app, _) = try TestWallet.completing()
    app.play(read([record]), .incoming(.holdEnded(hash("1"))))
    let orders = app.send(.incoming(.pressed("7", .retry)))
    #expect(orders.contains(.wire(.cutOff)) && orders.contains(.container(.checkRow)))
    #expect(orders.contains(.phone(.answerPress("7", refusal: nil))))
    #expect(app.send(.node(.rowRead(row(8, .app)))).contains(.wire(.dial(attempt: 0))))
    expect(app.steps, is: [.setup, .start, .peers, .sync, .peers])
  }

  @Test func `Retry Now keeps a connection that has work, and the screen does not wait for a new one`() throws
  {
    var (app, _) = try TestWallet.completing()
    app.play(read([record]), .incoming(.holdEnded(hash("1"))))
    app.play(.requests(.asked("1", invoiceRequest)), .requests(.invoiceMade("1", invoice("a"))))
    let orders = app.send(.incoming(.pressed("7", .retry)), at: 10)
    #expect(!orders.contains(.wire(.cutOff)))
    expect(orders.last, is: .phone(.showScreen(.incoming(.completing))))
    app.play(.node(.written))
    #expect(app.send(WalletEvent.deadlineReached, at: 15).contains(.phone(.showScreen(.incoming(.expired)))))
    // Its end is known, so its record can go.
    #expect(app.send(WalletEvent.deadlineReached, at: 16.5).contains(.container(.removeIncoming([record]))))
  }

  @Test func `A store of records that is lost ends the app, like the container itself`() {
    var app = TestWallet<AppMachine>(completes: true)
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    let orders = app.send(.incoming(.recordsNotRead(.lost("it was removed"))))
    #expect(orders.contains(.phone(.guardrail(.end(.containerLost)))))
  }

  @Test func `A wallet whose extension receives has neither the screen nor the opening`() {
    var app = TestWallet<AppMachine>()
    app.play(.guardrail(.launched))
    let orders = app.send(.enteredForeground)
    #expect(!orders.contains(.container(.readIncoming([]))) && app.steps == [])
  }

  @Test(arguments: [true, false])
  func `Only of an app whose extension announces does the notification withdraw an announcement`(
    completes: Bool
  ) {
    var app = TestWallet<AppMachine>(completes: completes)
    app.play(.guardrail(.launched))
    let payment = ReceivedPayment(paymentHash: hash("1"), amountMsat: 5000, text: "")
    expect(
      app.send(.guardrail(.node(.received(payment)))),
      is: [.phone(.notify(payment, withdrawsAnnouncement: completes))])
  }

  // MARK: A background task with the node

  private func woken() -> TestWallet<AppMachine> {
    var app = TestWallet<AppMachine>(background: .init(pollsPaykit: true), completes: true)
    app.play(.guardrail(.launched))
    #expect(app.send(.background(.runBegan(.paykitPoll, run: 7))).contains(.container(.guardrail(.look))))
    return app
  }

  @Test(.shows("B-S.2", "B-S.4"))
  func `Paykit's task takes the node like a silent push, and is completed after the release`()
    throws
  {
    var app = woken()
    app.play(.guardrail(.observed(free(7, .extension))))
    app.play(.claimed(claim(8), NodeState()), .guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    app.play(.node(.rowRead(row(8, .app))))
    try app.establish(NodeState())
    app.play(.guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    expect(app.steps, is: [.setup, .start, .peers, .sync])
    // Five seconds without a payment, as after a silent push.
    var orders = app.send(WalletEvent.deadlineReached, at: 5.5)
    #expect(!orders.contains(where: isCompletion))
    orders = app.send(.node(.closed("")))
    orders += app.send(.guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    let place = try #require(orders.firstIndex(of: .container(.guardrail(.dropLock))))
    let completion = try #require(orders.firstIndex(where: isCompletion))
    #expect(place < completion)
    guard case .phone(.complete(.paykitPoll, run: 7, isSuccess: true, let why)) = orders[completion] else {
      Issue.record("the task is not completed with success: \(orders)")
      return
    }
    #expect(why.hasPrefix("the node was ready after"))
  }

  @Test(.shows("B-S.4")) func `A node that is not ready in twenty seconds fails the task, with the reason`()
    throws
  {
    var app = woken()
    app.play(.guardrail(.observed(free(7, .extension))))
    app.play(.claimed(claim(8), NodeState()), .guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    app.play(.node(.rowRead(row(8, .app))))
    var orders: [WalletDirective] = []
    for second in 1...21 {
      orders += app.send(WalletEvent.deadlineReached, at: Double(second))
      orders += app.send(.guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    }
    let completions = orders.filter(isCompletion)
    #expect(
      completions == [
        .phone(
          .complete(
            .paykitPoll, run: 7, isSuccess: false,
            SilentPushFailure.node("the peer did not answer the dial").text))
      ]
        || completions == [
          .phone(.complete(.paykitPoll, run: 7, isSuccess: false, SilentPushFailure.peerDidNotAnswer.text))
        ])
  }

  @Test(.shows("B-S.4")) func `In front the task waits for the app's own node`() throws {
    var app = TestWallet<AppMachine>(background: .init(pollsPaykit: true), completes: true)
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    expect(app.send(.background(.runBegan(.paykitPoll, run: 7))), is: [.phone(.submit(.paykitPoll))])
    app.play(.guardrail(.observed(free(7, .extension))))
    app.play(.claimed(claim(8), NodeState()), .guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(8, .app))))
    var orders = try app.establish(NodeState())
    orders += app.send(.guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    #expect(orders.contains(where: isCompletion) && app.wallet.background.runs == [])
  }

  @Test(.shows("B-S.4"))
  func `A node that is ready already lets the task succeed, in front and for a silent push`()
    throws
  {
    var app = TestWallet<AppMachine>(background: .init(pollsPaykit: true), completes: true)
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    app.play(.guardrail(.observed(free(7, .extension))))
    app.play(.claimed(claim(8), NodeState()), .guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(8, .app))))
    try app.establish(NodeState())
    app.play(.guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    #expect(app.send(.background(.runBegan(.paykitPoll, run: 7))).contains(where: isSuccess))

    var woken = woken()
    woken.play(.guardrail(.observed(free(7, .extension))))
    woken.play(.claimed(claim(8), NodeState()), .guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    woken.play(.node(.rowRead(row(8, .app))))
    try woken.establish(NodeState())
    woken.play(.guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    // A second run joins the first one's node.
    woken.play(.background(.runBegan(.paykitPoll, run: 9)))
    // The user comes: the runs need not wait for a release.
    let orders = woken.send(.guardrail(.enteredForeground))
    #expect(orders.filter(isSuccess).count == 2 && woken.wallet.background.runs == [])
  }

  private func isSuccess(_ order: WalletDirective) -> Bool {
    if case .phone(.complete(_, _, isSuccess: true, _)) = order { true } else { false }
  }

  private func isCompletion(_ order: WalletDirective) -> Bool {
    if case .phone(.complete) = order { true } else { false }
  }
}
