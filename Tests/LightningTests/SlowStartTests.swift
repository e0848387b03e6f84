@testable import Wallet

/// A node whose start waits for 8 s.
@Suite("A slow start of the node") struct SlowStartTests {
  private func started() -> NodeMachine {
    var node = NodeMachine(configuration: .init(startDelay: .seconds(8)))
    let directives = node.handle(.started(fence(1), NodeState()), at: milliseconds(1000))
    #expect(directives == [.report(.connecting)] && node.deadline == milliseconds(9000))
    return node
  }

  @Test func `The node dials only after the wait of its start, and checks its claim before`() {
    var node = started()
    expect(node.handle(.deadlineReached, at: milliseconds(8999)), is: [])
    expect(node.handle(.userCame, at: milliseconds(8999)), is: [])
    expect(node.handle(.deadlineReached, at: milliseconds(9000)), is: [.checkRow])
    expect(node.handle(.rowRead(row(1)), at: milliseconds(9000)), is: [.dial(attempt: 0)])
  }

  @Test func `A failed write of an invoice does not end the wait`() {
    var node = started()
    let invoice = Invoice(
      paymentHash: paymentHash(1), amountMsat: 1, text: "", tweak: paymentHash(2), expiresAt: 0)
    expect(
      node.handle(.invoiceMade(invoice), at: milliseconds(2000)),
      is: [.write(NodeChange(newInvoice: invoice))])
    let failed = node.handle(.storeFailed("the disk is full"), at: milliseconds(2000))
    #expect(failed.contains(.report(.trouble("the disk is full"))))
    #expect(node.stage == .preparing && node.deadline == milliseconds(9000))
  }

  @Test func `The wallet's move to this device goes on without a second wait`() {
    var node = started()
    _ = node.handle(.stopRequested(gracefully: false), at: milliseconds(2000))
    let replaced = ReplacedClaim(epoch: 9, container: fence(9, container: 8).container)
    let again = node.handle(.started(fence(10), NodeState(), replacing: replaced), at: milliseconds(2000))
    expect(again, is: [.report(.connecting), .checkRow])
  }

  @Test func `A node that is stopped during the wait of its start stops at once`() {
    for gracefully in [true, false] {
      var node = started()
      let end = node.handle(.stopRequested(gracefully: gracefully), at: milliseconds(1001))
      #expect(end == [.cutOff, .report(.stopped)] && node.isStopped && node.deadline == nil)
    }
  }

  @Test func `A lost network does not end the wait, and the node dials when the network is back`() {
    var node = started()
    expect(node.handle(.networkChanged(isThere: false), at: milliseconds(2000)), is: [])
    let offline = node.handle(.deadlineReached, at: milliseconds(9000))
    expect(offline, is: [.report(.trouble(NodeMachine.noNetwork))])
    expect(node.handle(.networkChanged(isThere: true), at: milliseconds(9500)), is: [.checkRow])
  }

  @Test func `Only the start waits, not the next dial after a lost connection`() {
    var node = started()
    _ = node.handle(.deadlineReached, at: milliseconds(9000))
    _ = node.handle(.rowRead(row(1)), at: milliseconds(9000))
    _ = node.handle(.closed("refused"), at: milliseconds(9000))
    expect(node.deadline, is: milliseconds(9100))
    expect(node.handle(.deadlineReached, at: milliseconds(9100)), is: [.checkRow])
  }
}
