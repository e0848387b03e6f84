import Guardrails
import Lightning
import Testing

@testable import WalletProcess

@Suite("A refusal for want of the node") struct NodeRefusalTests {
  private let refusal = "\(NodeMachine.notHeld); open the app and ask again"

  @Test("says why the node is away, and to open the app only where that helps") func reason() {
    #expect(
      NodeRefusal.sentence(refusal, .usedByAnotherDevice)
        == "the wallet does not hold its node now: this node is in use by another device; `baton restore` moves it here"
    )
    #expect(
      NodeRefusal.sentence(refusal, .trouble("the peer refuses it"))
        == "the wallet does not hold its node now: the peer refuses it")
    for status in [nil, Status.idle] { #expect(NodeRefusal.sentence(refusal, status) == refusal) }
  }

  @Test("is not mixed with others") func others() {
    #expect(NodeRefusal.sentence("The disk is full.", .usedByAnotherDevice) == "The disk is full.")
  }
}
