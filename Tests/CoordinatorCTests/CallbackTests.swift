import CBaton
import Coordinator
import Glibc
import TestKit

/// The callbacks that run inside the caller's own calls.
@Suite("Callbacks of baton.h") struct CallbackTests {
  private let caller = Caller()

  /// Takes the container away while the app holds lease 1, so that the node must stop at once.
  private func loseContainer(_ app: OpaquePointer?) {
    rename(caller.path + "/AppGroup", caller.path + "/elsewhere")
    caller.lock = caller.path + "/elsewhere/locks/app.lock"
    let nothing: baton_body = { _, _ in Int32(BATON_OK) }
    expect(baton_write(app, 1, "a payment", nothing, nil), is: Int32(BATON_CONTAINER_LOST))
    baton_wake(app)
  }

  @Test func `When the container is lost, cut_off runs before the role lock is freed`() {
    let (_, app) = caller.open()
    baton_want(app)
    _ = caller.carryOut(app)
    loseContainer(app)
    expect(caller.called, is: ["read", "cut off 1, the lock is held"])
    #expect(caller.lockIsFree)
    let asked = caller.carryOut(app).map(\.kind)
    #expect(asked.last == BATON_ENDED && !asked.contains(BATON_STOP_NODE))
  }

  @Test
  func `A BATON_START_NODE not fetched before the container's loss is never returned, nor cut_off called`() {
    let (_, app) = caller.open()
    baton_want(app)
    loseContainer(app)
    #expect(caller.called == ["read"] && caller.lockIsFree)
    #expect(!caller.carryOut(app).contains { $0.kind == BATON_START_NODE })
  }

  @Test func `A node that the peer refuses is cut off before a higher epoch is claimed`() {
    let (_, app) = caller.open()
    baton_want(app)
    _ = caller.carryOut(app)
    expect(caller.event(app, BATON_EVENT_REFUSED, id: 1, number: 9, caller.container), is: Int32(BATON_OK))
    expect(caller.called, is: ["read", "cut off 1, the lock is held", "read"])
    #expect(caller.carryOut(app).contains { $0.kind == BATON_START_NODE && $0.id == 10 })
  }

  @Test func `Closing a handle cuts off a running node, not a stopped one`() {
    let (_, app) = caller.open()
    baton_want(app)
    _ = caller.carryOut(app)
    caller.close(app)
    #expect(caller.called == ["read", "cut off 1, the lock is held"] && caller.lockIsFree)
    caller.called = []
    let (_, next) = caller.open()
    baton_want(next)
    _ = caller.carryOut(next)
    baton_unwant(next)
    _ = caller.carryOut(next)
    caller.close(next)
    expect(caller.called, is: ["read"])
  }

  @Test func `baton_open requires the callback 'cut_off', and for the extension also 'settled'`() {
    expect(caller.open(changing: { $0.cut_off = nil }).code, is: Int32(BATON_MISUSE))
    expect(caller.open(BATON_EXTENSION, changing: { $0.settled = nil }).code, is: Int32(BATON_MISUSE))
    expect(caller.open(changing: { $0.settled = nil }).code, is: Int32(BATON_OK))
  }

  @Test func `The text of a push is about the payment that the callback 'settled' finds`() {
    let (_, app) = caller.open()
    baton_want(app)
    _ = caller.carryOut(app)
    let (_, wallet) = caller.open(BATON_EXTENSION)
    _ = caller.carryOut(wallet)
    caller.called = []
    caller.settled = 21
    expect(
      caller.event(wallet, BATON_EVENT_PUSH, id: 4, code: BATON_REASON_INCOMING_PAYMENT), is: Int32(BATON_OK))
    expect(caller.called, is: ["settled since"])
    var message = baton_message()
    while baton_next(wallet, &message) == Int32(BATON_OK), message.kind != Int32(BATON_DELIVER) {}
    #expect(message.id == 4 && message.code == Int32(BATON_RESULT_RECEIVED) && message.number == 21)
    expect(message.text.map { String(cString: $0) }, is: "coffee")
    #expect(message.bytes.map { $0[31] } == 9 && message.length == 32)
    #expect(caller.carryOut(wallet).contains { $0 == (BATON_FINISHED, 4, BATON_FINISH_RECEIVED) })
  }

  @Test
  func `The callback 'settled' gets the push's payment hash; two failures give one note`() {
    let (_, app) = caller.open()
    baton_want(app)
    _ = caller.carryOut(app)
    let (_, wallet) = caller.open(BATON_EXTENSION)
    caller.called = []
    caller.settledCode = 123
    let hash = [UInt8](1...32)
    expect(
      caller.event(wallet, BATON_EVENT_PUSH, id: 4, code: BATON_REASON_INCOMING_PAYMENT, hash),
      is: Int32(BATON_OK))
    // Before the look and after it.
    expect(caller.called, is: ["settled 1 32", "settled 1 32"])
    let asked = caller.carryOut(wallet).map(\.kind)
    #expect(asked.count { $0 == BATON_NOTE } == 1 && !asked.contains(BATON_DELIVER))
  }

  @Test(arguments: [true, false])
  func `The text of a push reports whether its payment's parts wait or were failed back`(stillWait: Bool) {
    let (_, wallet) = caller.open(BATON_EXTENSION)
    let hash = [UInt8](1...32)
    _ = caller.event(wallet, BATON_EVENT_PUSH, id: 4, code: BATON_REASON_INCOMING_PAYMENT, hash)
    _ = caller.carryOut(wallet)
    let other = [UInt8](repeating: 7, count: 32)
    expect(caller.event(wallet, BATON_EVENT_BUSY, id: 1, other + hash), is: Int32(BATON_OK))
    if !stillWait { expect(caller.event(wallet, BATON_EVENT_BUSY, id: 1, other), is: Int32(BATON_OK)) }
    expect(caller.event(wallet, BATON_EVENT_BUSY, id: 1, other + [1]), is: Int32(BATON_MISUSE))
    _ = caller.event(wallet, BATON_EVENT_TIME_WILL_EXPIRE, id: 4)
    let outcome = stillWait ? BATON_RESULT_PARTS_WAIT : BATON_RESULT_PARTS_GIVEN_BACK
    #expect(caller.carryOut(wallet).contains { $0 == (BATON_DELIVER, 4, outcome) })
  }
}
