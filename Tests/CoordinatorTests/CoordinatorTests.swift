import Coordinator
import Platform
import Glibc
import Ground
import SharedContainer
import TestKit

@Suite("A wallet's coordinator") struct CoordinatorTests {
  private let place = Place()

  @Test func `In the foreground the app claims and starts its node with the state from the claim`() throws {
    let other = try place.otherOwner(.extension, seen: 0)
    let written = other.container.fencedWrite(under: other.claim, what: "a payment", atMonotonic: place.now) {
      try $0.execute("INSERT INTO payments VALUES (3)")
    }
    guard case .written = written else { return #expect(Bool(false)) }
    other.container.releaseRoleLock()
    let app = try place.wallet(.app)
    #expect(app.node.asked == [] && app.phone.status == .idle)
    app.coordinator.enteredForeground()
    expect(app.node.asked, is: ["start 2 [3]"])
    expect(app.phone.status, is: .connected(epoch: 2))
    expect(app.coordinator.nanosecondsToWake, is: 2_000_000_000)
  }

  @Test func `Reports that the node sends during its start are handled after the guard's pending directives`()
    throws
  {
    let app = try place.wallet(.app)
    var statusThen: NodeStatus?
    app.node.onStart = { [node = app.node, phone = app.phone] in
      node.lease?.report(.connecting)
      node.lease?.report(.established)
      statusThen = phone.status
    }
    app.node.connects = false
    app.coordinator.enteredForeground()
    expect(statusThen, is: .claiming)
    expect(app.phone.status, is: .connected(epoch: 1))
  }

  @Test
  func `The background task ends only after the role lock is free and SQLite's log is checkpointed`() throws {
    let app = try place.wallet(.app)
    let other = try place.open(.extension)
    var isFree: Bool?
    var payments: Int64?
    app.phone.onEnd = { [place] in
      isFree = FileLock(path: place.directory + "/locks/app.lock").probe() == .free
      payments = place.paymentsWithoutLog()
    }
    app.coordinator.enteredForeground()
    try app.node.pay(1)
    app.coordinator.enteredBackground()
    expect(app.phone.said, is: ["begin 1", "end 1"])
    #expect(isFree == true && payments == 1)
    expect(app.node.asked, is: ["start 1 []", "stop"])
    #expect(!other.appWantsNode)
    #expect(app.coordinator.nanosecondsToWake == nil)
  }

  @Test
  func `A node that does not stop is cut off after 3 s, and writes under its lease are fenced`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    app.node.stops = false
    app.coordinator.enteredBackground()
    try app.node.pay(1)
    app.pass(.milliseconds(2_900))
    expect(app.phone.said, is: ["begin 1"])
    app.pass(.milliseconds(200))
    #expect(app.phone.said == ["begin 1", "end 1"] && app.node.asked.last == "cut")
    #expect(throws: CoordinatorError.fenced) { try app.node.pay(2) }
    // Late reports of the old lease do not count for the next one.
    let late = app.node.lease
    app.node.stops = true
    app.coordinator.enteredForeground()
    late?.report(.stopped)
    late?.report(.fenced)
    #expect(app.phone.status == .connected(epoch: 2) && app.node.asked.last == "start 2 [1]")
  }

  @Test
  func `After a payment the extension delivers the text, then finishes the push, and its status is idle`()
    throws
  {
    let wallet = try place.wallet(.extension)
    let hash = try #require(PaymentHash([UInt8](repeating: 9, count: 32)))
    wallet.coordinator.push(4, .incomingPayment, payment: hash)
    expect(wallet.phone.status, is: .connected(epoch: 1))
    wallet.node.lease?.report(.received(ReceivedPayment(paymentHash: hash, amountMsat: 21, text: "")))
    wallet.pass(.milliseconds(5_100))
    expect(wallet.phone.said, is: ["deliver 4 received 21", "finished 4 idle"])
    expect(wallet.phone.status, is: .idle)
  }

  @Test
  func `For a push about a payment that the app received, the extension delivers that payment`() throws {
    let hash = try #require(PaymentHash([UInt8](repeating: 9, count: 32)))
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    let wallet = try place.wallet(.extension)
    wallet.node.settled = [ReceivedPayment(paymentHash: hash, amountMsat: 7, text: "")]
    wallet.coordinator.push(1, .incomingPayment, payment: hash)
    expect(wallet.phone.said, is: ["deliver 1 received 7", "finished 1 received"])
    expect(wallet.node.asked, is: [])
  }

  @Test
  func `A read of settled payments that fails twice is noted once, and repeated until it succeeds`() throws {
    let hash = try #require(PaymentHash([UInt8](repeating: 9, count: 32)))
    let wallet = try place.wallet(.extension)
    wallet.node.settled = [ReceivedPayment(paymentHash: hash, amountMsat: 7, text: "")]
    wallet.node.failingReads = 2
    wallet.coordinator.push(1, .incomingPayment, payment: hash)
    expect(wallet.phone.said, is: ["note"])
    wallet.pass(.seconds(6))
    #expect(wallet.phone.said.contains("deliver 1 received 7") && wallet.phone.said.last == "finished 1 idle")
  }

  @Test(arguments: [PushReason.incomingPayment, .pendingSettlement, .other, .unreadable])
  func `If nothing was received, the result that is delivered has the push's reason`(reason: PushReason)
    throws
  {
    let wallet = try place.wallet(.extension)
    wallet.coordinator.push(1, reason)
    wallet.coordinator.timeWillExpire(push: 1)
    expect(wallet.phone.said.first, is: "deliver 1 nothingReceived \(reason)")
  }

  @Test func `A settling payment delays the handover until it is settled`() throws {
    let wallet = try place.wallet(.extension)
    let app = try place.wallet(.app)
    wallet.coordinator.push(1, .incomingPayment)
    wallet.node.lease?.report(.busy(NodeActivity(isSettling: true)))
    app.coordinator.enteredForeground()
    app.pass(.seconds(3), with: wallet)
    expect(wallet.node.asked, is: ["start 1 []", "no new payment"])
    expect(app.phone.status, is: .waitingForExtension)
    wallet.node.lease?.report(.busy(NodeActivity()))
    app.pass(.milliseconds(300), with: wallet)
    expect(app.phone.status, is: .connected(epoch: 2))
    expect(wallet.phone.said.last, is: "finished 1 handedOver")
  }

  @Test func `With presence sockets a handover completes without waiting for a deadline`() throws {
    let wallet = try place.wallet(.extension)
    let app = try place.wallet(.app)
    #expect(wallet.coordinator.listen() != nil && app.coordinator.listen() != nil)
    wallet.coordinator.push(1, .incomingPayment)
    app.coordinator.presenceArrived()
    app.coordinator.enteredForeground()
    expect(app.phone.status, is: .waitingForExtension)
    wallet.coordinator.presenceArrived()
    app.coordinator.presenceArrived()
    expect(app.phone.status, is: .connected(epoch: 2))
    expect(app.phone.sent.count, is: 1, "the message sent before the app listened")
  }

  @Test
  func `Without sockets the wallet's own code carries presence messages; malformed ones are ignored`() throws
  {
    let wallet = try place.wallet(.extension)
    let app = try place.wallet(.app)
    wallet.coordinator.push(1, .incomingPayment)
    app.coordinator.enteredForeground()
    for bytes in app.phone.sent { wallet.coordinator.presenceHeard(bytes + [0]) }
    expect(wallet.phone.said, is: [])
    for bytes in app.phone.sent { wallet.coordinator.presenceHeard(bytes) }
    for bytes in wallet.phone.sent { app.coordinator.presenceHeard(bytes) }
    expect(app.phone.status, is: .connected(epoch: 2))
  }

  @Test func `The other process's end leads to an ownership check at once, or within 250 ms if not reported`()
    throws
  {
    let app = try place.wallet(.app)
    let first = try place.otherOwner(.extension, seen: 0)
    app.coordinator.enteredForeground()
    #expect(
      app.phone.status == .waitingForExtension && app.coordinator.processToWatch == ProcessIdentity.other.pid)
    first.container.releaseRoleLock()
    app.coordinator.partnerEnded()
    #expect(app.phone.status == .connected(epoch: 2) && app.coordinator.processToWatch == nil)
    app.coordinator.enteredBackground()
    let second = try place.otherOwner(.extension, seen: 2)
    app.coordinator.enteredForeground()
    second.container.releaseRoleLock()
    app.pass(.milliseconds(250))
    expect(app.phone.status, is: .connected(epoch: 4))
  }

  @Test
  func `After 5 s without beats the app takes the node over, and the old owner's write is fenced`() throws {
    let wallet = try place.wallet(.extension)
    wallet.coordinator.push(1, .incomingPayment)
    try wallet.node.pay(1)
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    app.pass(.milliseconds(4_900))
    expect(app.phone.status, is: .waitingForExtension)
    app.pass(.milliseconds(300))
    #expect(app.phone.status == .connected(epoch: 2) && app.node.asked == ["start 2 [1]"])
    try app.node.pay(2)
    #expect(throws: CoordinatorError.fenced) { try wallet.node.pay(2) }
    // The cut-off is not done inside the node's own call; it is due at once.
    #expect(wallet.node.asked == ["start 1 []"] && wallet.coordinator.nanosecondsToWake == 0)
    wallet.coordinator.wake()
    expect(wallet.node.asked, is: ["start 1 []", "cut"])
    expect(
      wallet.phone.said,
      is: [
        "deliver 1 nothingReceived incomingPayment", "finished 1 fenced",
        "ended fenced",
      ])
    expect(try app.node.lease?.read { try $0.rows("SELECT number FROM payments").count }, is: 2)
  }

  @Test func `Every change of the next deadline calls onRearm`() throws {
    let wallet = try place.wallet(.extension)
    var waits: [Int64?] = []
    wallet.coordinator.onRearm = { [unowned wallet] in waits.append(wallet.coordinator.nanosecondsToWake) }
    wallet.coordinator.push(1, .incomingPayment)
    expect(waits, is: [2_000_000_000])
    let lease = try #require(wallet.node.lease)
    _ = try place.claimAnyway(over: 1)
    #expect(try !lease.holds())
    expect(waits, is: [2_000_000_000, 0])
  }

  @Test func `A write into a lost container throws containerLost, and the coordinator ends`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    rename(place.directory, place.path + "/elsewhere")
    #expect { try app.node.pay(1) } throws: { error in
      if case CoordinatorError.containerLost? = error as? CoordinatorError { true } else { false }
    }
    app.coordinator.wake()
    guard case .failed(.containerLost)? = app.phone.status else { return #expect(Bool(false)) }
    #expect(app.phone.said.last == "ended containerLost" && app.node.asked.last == "cut")
  }

  @Test func `The status distinguishes a refusal for another device from an epoch out of reach`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    let fence = try #require(app.node.lease?.fence)
    app.node.lease?.report(.refused(highest: .max, container: fence.container))
    expect(app.phone.status, is: .peerOutOfReach)
    app.coordinator.enteredBackground()
    app.coordinator.enteredForeground()
    let container = try #require(ContainerID([UInt8](repeating: 1, count: 16)))
    app.node.lease?.report(.refused(highest: 9, container: container))
    expect(app.phone.status, is: .usedByAnotherDevice)
    app.node.connects = false
    app.coordinator.moveHere()
    app.node.lease?.report(.refused(highest: 9, container: container))
    #expect(app.node.lease?.replacing?.container == container && app.node.lease?.replacing?.epoch == 9)
    expect(app.node.lease?.epoch, is: 10)
  }

  @Test
  func `An error thrown inside a lease's write is thrown on unchanged, and the write is rolled back`() throws
  {
    struct Own: Error {}
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    let lease = try #require(app.node.lease)
    #expect(throws: Own.self) {
      try lease.write("given up") {
        try $0.execute("INSERT INTO payments VALUES (1)")
        throw Own()
      }
    }
    #expect(throws: DatabaseError.self) {
      try lease.write("wrong") { try $0.execute("INSERT INTO nowhere VALUES (1)") }
    }
    #expect(throws: Own.self) { try lease.read { _ in throw Own() } }
    expect(try lease.read { try $0.rows("SELECT * FROM payments").count }, is: 0)
    #expect(try lease.holds())
  }

  @Test
  func `A deallocated coordinator ends its lease; the role lock stays until the lease is deallocated`() throws
  {
    var app: Wallet? = try place.wallet(.app)
    app?.coordinator.enteredForeground()
    var lease = app?.node.lease
    let lock = FileLock(path: place.directory + "/locks/app.lock")
    app = nil
    #expect(lease?.isCurrent == false && lock.probe() == .busy)
    #expect(throws: CoordinatorError.fenced) { try lease?.write("too late") { _ in } }
    lease = nil
    expect(lock.probe(), is: .free)
  }

  @Test func `A long-lived task keeps the app's node in the background until the task ends`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    app.coordinator.taskBegan("outgoing payment", generation: 1)
    app.coordinator.enteredBackground()
    #expect(app.phone.said == ["begin 1"] && app.phone.status == .connected(epoch: 1))
    app.node.lease?.report(.received(ReceivedPayment(paymentHash: .zero, amountMsat: 5, text: "")))
    app.coordinator.taskEnded("outgoing payment", generation: 1)
    expect(app.phone.said, is: ["begin 1", "notify 5", "end 1"])
  }

  @Test func `A silent push that finds no payment is completed once, with noData`() throws {
    let app = try place.wallet(.app)
    app.coordinator.silentPush(3, .incomingPayment)
    expect(app.phone.status, is: .connected(epoch: 1))
    app.pass(.seconds(6))
    expect(app.phone.said, is: ["completed 3 noData"])
    expect(app.phone.status, is: .idle)
  }
}

extension Place {
  /// A claim over a stale holder, which ignores its lock.
  func claimAnyway(over seen: Epoch) throws -> Claim { try otherOwner(.app, seen: seen).claim }

  /// The payments in the database without its log. Copied by another process, as closing the database here would drop
  /// SQLite's locks.
  func paymentsWithoutLog() -> Int64? {
    let copy = path + "/copy.sqlite"
    guard system("cp '\(directory)/node.sqlite' '\(copy)'") == 0,
      let connection = try? Connection(path: copy, access: .readWrite)
    else { return nil }
    return try? connection.firstRow("SELECT count(*) FROM payments")?.integer(0)
  }
}
