import Coordinator
import Glibc
import SharedContainer
import TestKit

/// The order of directives in one turn, and the state that is void after it; `WalletMachine` does this for our wallet.
@Suite("A coordinator's turns") struct TurnTests {
  private let place = Place()

  private var wallNanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  @Test
  func `A push is finished after the release and the checkpoint, before the next push is served`() throws {
    let wallet = try place.wallet(.extension)
    var isFree: Bool?
    var payments: Int64?
    var asked: [String]?
    wallet.phone.onEnd = { [place, node = wallet.node] in
      isFree = FileLock(path: place.directory + "/locks/extension.lock").probe() == .free
      payments = place.paymentsWithoutLog()
      asked = node.asked
    }
    wallet.coordinator.push(1, .incomingPayment)
    wallet.coordinator.push(2, .incomingPayment)
    try wallet.node.pay(1)
    wallet.coordinator.timeWillExpire(push: 1)
    expect(wallet.phone.said.last, is: "finished 1 timeWillExpire")
    #expect(isFree == true && payments == 1)
    #expect(asked == ["start 1 []", "stop"] && wallet.node.asked.last == "start 2 [1]")
  }

  @Test func `Each push without a payment hash reports payments settled since that push's arrival`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    let wallet = try place.wallet(.extension)
    let before = wallNanoseconds
    wallet.coordinator.push(1, .incomingPayment)
    let between = wallNanoseconds
    wallet.coordinator.push(2, .pendingSettlement)
    wallet.pass(.milliseconds(300), with: app)
    let questions = wallet.node.questions
    #expect(questions.count > 1 && questions.allSatisfy { $0.payment == nil })
    #expect(questions.allSatisfy { before <= $0.since && $0.since <= between })
    expect(wallet.phone.said, is: [])
    // Called again, it is the same push: no payment since its arrival is missed.
    wallet.coordinator.push(1, .incomingPayment)
    wallet.node.settled = [ReceivedPayment(paymentHash: .zero, amountMsat: 7, text: "")]
    wallet.pass(.milliseconds(300), with: app)
    #expect(wallet.node.questions.dropLast().allSatisfy { $0.since <= between })
    expect(
      wallet.phone.said,
      is: [
        "deliver 1 received 7", "finished 1 received", "deliver 2 received 7", "finished 2 received",
      ])
    expect(wallet.node.questions.last.map { $0.since >= between }, is: true)
  }

  @Test func `Failing reads of settled payments are repeated, and noted once`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    let wallet = try place.wallet(.extension)
    wallet.node.settledFails = true
    wallet.coordinator.push(1, .incomingPayment)
    wallet.pass(.seconds(1), with: app)
    #expect(wallet.phone.said == ["note"] && wallet.node.questions.count > 2)
  }

  @Test
  func `A node that reports stopped without being asked can still write until the guard stops it`() throws {
    let app = try place.wallet(.app)
    app.coordinator.enteredForeground()
    app.node.lease?.report(.stopped)
    try app.node.pay(1)
    app.coordinator.enteredBackground()
    #expect(app.node.asked.last == "stop" && app.phone.said == ["begin 1", "end 1"])
  }

  @Test func `Entering the foreground and a returning network make the node dial at once`() throws {
    let app = try place.wallet(.app)
    app.coordinator.networkChanged(isThere: true)
    app.coordinator.enteredForeground()
    expect(app.node.asked, is: ["start 1 []"])
    app.coordinator.networkChanged(isThere: false)
    expect(app.node.asked, is: ["start 1 []"])
    app.coordinator.networkChanged(isThere: true)
    expect(app.node.asked, is: ["start 1 []", "dial now"])
    app.coordinator.taskBegan("outgoing payment", generation: 1)
    app.coordinator.enteredBackground()
    app.coordinator.enteredForeground()
    expect(app.node.asked, is: ["start 1 []", "dial now", "dial now"])
  }

  @Test func `The state that a claim read is freed after the release, even if the node never started`() throws
  {
    let node = HoldingNode()
    let phone = Phone()
    let coordinator = try NodeCoordinator(
      .app, place.directory, Place.migrations, node, phone, now: { [place] in place.now })
    node.onRead = { [unowned coordinator] in coordinator.enteredBackground() }
    coordinator.enteredForeground()
    expect(phone.said, is: ["begin 1", "end 1"])
    #expect(node.reads == 1 && node.newest == nil)
  }
}

/// A node that is never started: the app releases it while its state is read.
private final class HoldingNode: NodeDriver {
  final class State {}
  var reads = 0
  weak var newest: State?
  var onRead: (() -> Void)?

  func readState(_ database: StateReader) throws -> State {
    let state = State()
    reads += 1
    newest = state
    onRead?()
    return state
  }

  func start(_ lease: Lease, _ state: State) {}
  func stop(gracefully: Bool) {}
  func settledPayments(_ hash: PaymentHash?, since push: Int64, _ database: StateReader) throws
    -> [ReceivedPayment]
  { [] }
}
