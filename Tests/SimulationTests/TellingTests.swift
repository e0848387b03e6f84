import Guardrails
import LightningProvider
import PhonePolicy
import Wallet

@testable import Simulation

/// A wallet whose extension only notifies: the app alone receives.
@Suite("A wallet whose extension only notifies") struct TellingTests {
  static let settings: WorldSettings = {
    var settings = WorldSettings()
    settings.wallet = .bitkit
    return settings
  }()

  private func paidWhileClosed() throws -> World {
    var world = try World.withAClosedApp(Self.settings)
    world.isRecorded = true
    world.make(.pay(0))
    world.live(for: .seconds(20))
    try #require(world.violation == nil)
    return world
  }

  private func texts(of world: World) -> [PushOutcome] {
    world.said.flatMap(\.delivered).map(\.outcome)
  }

  @Test(.shows("B-0.5", "B-2.2"))
  func `With the app closed the user is told, and the payment waits until the app is opened`()
    throws
  {
    var world = try paidWhileClosed()
    let hash = world.invoices[0].invoice.paymentHash
    expect(world.pushes.map(\.shown), is: [1])
    expect(world.payments.map(\.state), is: [.underWay])
    expect(world.container.value.row?.role, is: .app)
    expect(world.container.value.incoming.map(\.paymentHash), is: [hash])
    guard case .announced(let told)? = texts(of: world).first else {
      Issue.record("the extension announced nothing")
      return
    }
    #expect(told.isHeld && told.paymentHash == hash)
    world.make(.open)
    world.live(for: .seconds(10))
    expect(world.payments.map(\.state), is: [.paid])
    #expect(world.violation == nil)
  }

  @Test func `A payload that the extension cannot read gives one notification without a payment`() throws {
    var settings = Self.settings
    settings.seedProtection = .whenUnlocked
    var world = try World.withAClosedApp(settings)
    world.isRecorded = true
    world.reboot(staysLocked: true)
    world.make(.pay(0))
    world.live(for: .seconds(20))
    expect(texts(of: world), is: [.nothingReceived(.unreadable)])
    #expect(world.container.value.incoming.isEmpty)
    #expect(world.violation == nil && world.pushes.map(\.shown) == [1])
  }

  @Test(arguments: [StorageTrouble.blocked, .fails, .lost])
  func `A store that is blocked, fails or is lost delays no text by more than half a second`(
    trouble: StorageTrouble
  ) throws {
    var world = try World.withAClosedApp(Self.settings)
    world.make(.pay(0))
    while world.life(.extension) == nil { world.step(until: world.peerNow + .seconds(1)) }
    world.make(.failStorage(.extension, StorageFault(.storeIncoming, trouble)))
    world.live(for: .seconds(5))
    #expect(world.storage.armed.notifier == nil)
    expect(world.pushes.map(\.shown), is: [1])
    #expect(world.violation == nil)
  }

  @Test func `No invariant breaks in 24 runs with every kind of fault, and only the app receives`() {
    var (paid, told, stored) = (0, 0, 0)
    for seed in 1...24 as ClosedRange<UInt64> {
      var settings = RunSettings(seed: seed)
      settings.world.wallet = .bitkit
      var run = SeedRun(settings, isRecorded: true)
      let result = run.run { world in
        for said in world.takeSaid() {
          for case (_, .announced) in said.delivered { told += 1 }
          if case .core(.wallet(.extension, .guardrail(.incomingStored, _))) = said { stored += 1 }
        }
      }
      #expect(
        result.violation == nil,
        "baton replay --wallet bitkit --seed \(seed): \(String(describing: result.violation))")
      paid += result.paid
    }
    #expect(paid > 200)
    #expect(told > 50)
    #expect(stored > 50)
  }

  // MARK: Each check finds its violation

  private func violation(_ change: (inout World) -> Void) throws -> Invariant? {
    var world = try paidWhileClosed()
    change(&world)
    return world.violation?.invariant
  }

  private func teller(in world: World) -> Life {
    Life(
      role: .extension, identity: ProcessIdentity(pid: 99, startTime: 99, boot: world.boot),
      settings: world.settings, now: world.now)
  }

  @Test(arguments: [
    WalletDirective.container(.guardrail(.look)), .container(.guardrail(.raiseIntent)),
    .container(.guardrail(.claim(seen: 1, reason: .holderDied))),
    .wire(.dial(attempt: 1)),
  ])
  func `An extension that only notifies may not look, claim or dial`(order: WalletDirective) throws {
    expect(try violation { $0.checkTellsOnly(order, teller(in: $0)) }, is: .tellsOnly)
    #expect(try violation { $0.checkTellsOnly(.phone(.guardrail(.show(.idle))), teller(in: $0)) } == nil)
  }

  @Test func `A text that is not the push's announcement, or comes late, is a violation`() throws {
    func violation(_ outcome: PushOutcome, after span: TimeSpan = .zero) throws -> Invariant? {
      try self.violation { world in
        var life = teller(in: world)
        let announcement = world.pushes[0].announcement
        life.heardPushes = [HeardPush(id: world.pushes[0].id, at: world.now, announcement: announcement)]
        world.make(.timePasses(until: world.now + span))
        world.checkTold(world.pushes[0].id, outcome, &life)
      }
    }
    let told = try #require(paidWhileClosed().pushes[0].announcement)
    var other = told
    other.isHeld = false
    #expect(try violation(.announced(told)) == nil)
    #expect(try violation(.announced(told), after: .milliseconds(900)) == nil)
    expect(try violation(.announced(told), after: .milliseconds(1100)), is: .toldAtOnce)
    expect(try violation(.announced(other)), is: .textIsTrue)
    expect(try violation(.nothingReceived(.unreadable)), is: .textIsTrue)
    expect(try violation(.appContinues), is: .textIsTrue)
  }

  @Test
  func `A receipt beside an announcement that stays is a violation, and one that takes its place is none`()
    throws
  {
    let hash = try paidWhileClosed().invoices[0].invoice.paymentHash
    let text = NotificationText(title: "a", body: "b")
    let announced = WorldPushes.key(ofAnnouncement: hash)
    let announcement = PhoneNotification(push: 9, source: .content, text, key: announced)
    var receipt = PhoneNotification(push: nil, source: .local, text, key: hash.hex)
    // The payment of this world is announced already, and a newer announcement takes the place of the old one.
    #expect(try violation { $0.checkToldOnce(announcement) } == nil)
    expect(try violation { $0.checkToldOnce(receipt) }, is: .toldOnce)
    receipt.withdraws = announced
    let replaced = try violation { [receipt] world in
      world.checkToldOnce(receipt)
      // The extension cannot know of the receipt.
      world.checkToldOnce(announcement)
    }
    #expect(replaced == nil)
  }

  @Test
  func `A payment that waits after the wallet has left, and is not announced again in time, is a violation`()
    throws
  {
    func violation(after span: TimeSpan, _ change: (inout World) -> Void = { _ in }) throws -> Invariant? {
      try self.violation { world in
        // The peer has announced the payment before: the next pause is 4 s, and 5 s more are let pass.
        world.announcements.value.noteLeft(at: world.peerNow)
        change(&world)
        world.make(.timePasses(until: world.now + span))
      }
    }
    #expect(try violation(after: .seconds(9)) == nil)
    expect(try violation(after: .milliseconds(9001)), is: .oneTextPerPush)
    #expect(try violation(after: .seconds(9)) { $0.make(.deviceSleeps(.seconds(20))) } == nil)
    #expect(try violation(after: .milliseconds(9001)) { $0.make(.stopPeer) } == nil)
    let hash = try paidWhileClosed().invoices[0].invoice.paymentHash
    let announced = try violation(after: .milliseconds(9001)) { world in
      let push = PushRequest(reason: .incomingPayment, paymentHash: hash, kind: .alert)
      world.announcements.value.note(push, at: world.peerNow)
    }
    #expect(announced == nil)
  }

  @Test
  func `A stored record that is gone without the app is a violation, and one that the app removed is none`()
    throws
  {
    for move in [Move.reboot, .open] {
      let lost = try violation { world in
        world.container.value.incoming = []
        world.make(move)
      }
      expect(lost, is: .recordsAreTrue)
      #expect(try violation { $0.make(move) } == nil)
    }
    var world = try paidWhileClosed()
    world.make(.open)
    world.live(for: .seconds(30))
    #expect(world.container.value.incoming.isEmpty && world.storage.keptRecords.value.isEmpty)
    #expect(world.violation == nil)
  }

  @Test func `A record of a payment that was not announced, or removed before the end, is a violation`()
    throws
  {
    let hash = try paidWhileClosed().invoices[0].invoice.paymentHash
    func record(_ hash: Bytes32) -> IncomingRecord {
      IncomingRecord(paymentHash: hash, amountMsat: 1, kind: .incomingHtlc, isHeld: true, holdEndsAt: nil)
    }
    #expect(try violation { $0.checkStored(record(hash)) } == nil)
    expect(try violation { $0.checkStored(record(.zero)) }, is: .recordsAreTrue)
    let stored = try #require(paidWhileClosed().container.value.incoming.first)
    expect(try violation { $0.checkRemoved([stored]) }, is: .recordsAreTrue)
    // This one is not in the store, and so stays.
    #expect(try violation { $0.checkRemoved([record(hash)]) } == nil)
    let received = try violation { world in
      world.make(.open)
      world.live(for: .seconds(10))
      world.checkRemoved([stored])
    }
    #expect(received == nil)
  }
}

/// The text of a push, compared with the container's receipts.
@Suite("The text of a push") struct PushTextTests {
  /// A world in which push 1's payment was received and its text shown, and the extension still runs.
  private func received() throws -> World {
    var settings = WorldSettings()
    settings.phone.afterContent = .run
    var world = try World.withAClosedApp(settings)
    world.make(.pay(0))
    world.live(for: .seconds(20))
    try #require(world.violation == nil && world.pushes.map(\.shown) == [1])
    try #require(world.container.value.isSettled(world.invoices[0].invoice.paymentHash))
    return world
  }

  private func process(in world: World) -> Life {
    Life(
      role: .extension, identity: ProcessIdentity(pid: 99, startTime: 99, boot: world.boot),
      settings: world.settings, now: world.now)
  }

  @Test
  func `A text that omits the push's settled payment is a violation, unless the process could not know`()
    throws
  {
    let before = try received()
    func violation(_ outcome: PushOutcome, _ change: (inout Life) -> Void = { _ in }) -> Invariant? {
      var world = before
      var life = process(in: world)
      change(&life)
      world.checkText(of: 1, outcome, life)
      return world.violation?.invariant
    }
    expect(violation(.nothingReceived(.incomingPayment)), is: .textIsTrue)
    expect(violation(.partsGivenBack), is: .textIsTrue)
    #expect(violation(.appContinues) == nil)
    #expect(violation(.nothingReceived(.incomingPayment)) { $0.emptyReads = [1] } == nil)
    expect(violation(.nothingReceived(.incomingPayment)) { $0.emptyReads = [2] }, is: .textIsTrue)
    #expect(violation(.nothingReceived(.incomingPayment)) { $0.hasLostContainer = true } == nil)
  }

  @Test func `The text of a push without a payment hash reports no payment from before the push`() throws {
    var world = try received()
    let payment = ReceivedPayment(paymentHash: world.invoices[0].invoice.paymentHash, amountMsat: 1, text: "")
    world.pushing.add(WorldPush(id: 7, paymentHash: nil, reason: .incomingPayment, receivedBefore: 0))
    world.checkText(of: 7, .received(payment), process(in: world))
    #expect(world.violation == nil)
    world.pushing.add(WorldPush(id: 8, paymentHash: nil, reason: .incomingPayment, receivedBefore: 1))
    world.checkText(of: 8, .received(payment), process(in: world))
    expect(world.violation?.invariant, is: .textIsTrue)
  }

  @Test(arguments: [StorageTrouble.blocked, .fails])
  func `The text reports a payment received during an earlier push although the first read fails`(
    trouble: StorageTrouble
  ) throws {
    var world = try received()
    try #require(world.life(.extension) != nil)
    world.isRecorded = true
    world.make(.failStorage(.extension, StorageFault(.readPast, trouble)))
    let hash = world.invoices[0].invoice.paymentHash
    world.pushing.add(WorldPush(id: 7, paymentHash: hash, reason: .incomingPayment))
    world.lives.notifier?.value.inbox.append(
      .guardrail(.pushArrived(Push(id: 7, reason: .incomingPayment, paymentHash: hash))))
    world.live(for: .seconds(10))
    #expect(world.storage.armed.notifier == nil && world.violation == nil)
    let texts = world.said.flatMap(\.delivered).filter { $0.push == 7 }.map(\.outcome)
    expect(texts.map(\.payment), is: [hash])
  }

  @Test(arguments: [StorageTrouble.blocked, .fails, .lost])
  func `After a failed read the extension lives on; a lost container ends it`(trouble: StorageTrouble) throws
  {
    var world = try received()
    world.make(.failStorage(.extension, StorageFault(.readPast, trouble)))
    world.lives.notifier?.value.inbox.append(.guardrail(.pushArrived(Push(id: 7, reason: .incomingPayment))))
    world.live(for: .seconds(10))
    #expect(world.storage.armed.notifier == nil && world.violation == nil)
    #expect((world.life(.extension) == nil) == (trouble == .lost))
  }
}

@Suite("The time from opening the app to its connection") struct OpeningTests {
  private let category = "INCOMING_PAYMENT"

  private func opened(by touch: NotificationTouch, _ prepare: (inout World) -> Void = { _ in }) -> Bool {
    var world = World()
    world.registerCategories()
    prepare(&world)
    world.touch(1, category: category, touch)
    return world.opening.since != nil
  }

  @Test func `A tap, and an action that opens the app, start the time to the connection`() {
    #expect(opened(by: .tap))
    #expect(opened(by: .action("OPEN_NOW")))
  }

  @Test
  func
    `A dismissal, an unknown action and a tap on a restarting phone do not start the time to the connection`()
  {
    #expect(!opened(by: .dismiss))
    #expect(!opened(by: .action("CALL_BACK")))
    #expect(
      !opened(by: .tap) {
        $0.tellPhone(.downRequested); $0.deliverPhoneEvents()
      })
  }

  @Test func `After an action the time to the connection ends when the app is connected`() {
    var world = World()
    world.registerCategories()
    world.touch(1, category: category, .action("OPEN_NOW"))
    var moves: [Move] = []
    while world.connecting.count == 0, world.now < Instant(nanoseconds: 60_000_000_000) {
      moves.removeAll()
      world.ready(into: &moves)
      world.make(moves.first ?? .timePasses(until: world.nextInstant ?? world.now + .seconds(1)))
    }
    expect(world.connecting.count, is: 1)
    #expect(world.opening.since == nil)
  }
}
