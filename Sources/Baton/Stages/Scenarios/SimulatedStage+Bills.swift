import Ground
import Scenario
import Simulation

// What the person pays in the simulated world.
extension SimulatedStage {
  mutating func makeBill(_ bill: PlannedBill) {
    world.makeBill(amountMsat: bill.amountMsat, isKnown: !bill.isForgotten)
  }

  /// Until the person has an answer, as `baton send --no-wait` does.
  mutating func payBill(_ number: Int) throws {
    move(.send(number - 1, isKnown: true))
    let end = now + .seconds(30)
    while world.sends[number - 1].answer == nil, now < end, broken == nil { goOn(until: end) }
    if case .refused(let sentence)? = world.sends[number - 1].answer { throw CannotBeDone(sentence) }
  }

  func noteBills(_ scene: inout Scene) {
    let node = world.container.value.node
    scene.balanceMsat = node.channel?.localMsat
    scene.bills = world.sends.map { send in
      let hash = send.invoice.paymentHash
      if node.payments.pending.contains(where: { $0.paymentHash == hash }) { return .onItsWay }
      switch world.container.value.past[hash] {
      case .paid?: return .paid
      case .lost?: return .lost
      case nil: return send.hasFailed ? .failed : .notPaid
      }
    }
  }
}
