import Ground
import Simulation

// Payments by the user in the simulated world.
extension SimulatedStage {
  mutating func makeExternalInvoice(_ invoice: PlannedInvoice) {
    world.makeExternalInvoice(amountMsat: invoice.amountMsat, isKnown: !invoice.isForgotten)
  }

  /// Waits for the app's answer, as `baton send --no-wait` does.
  mutating func payInvoice(_ number: Int) throws {
    move(.send(number - 1, isKnown: true))
    let end = now + .seconds(30)
    while world.sends[number - 1].answer == nil, now < end, broken == nil { goOn(until: end) }
    if case .refused(let sentence)? = world.sends[number - 1].answer { throw CannotBeDone(sentence) }
  }

  func noteInvoices(_ scene: inout Scene) {
    let node = world.container.value.node
    scene.balanceMsat = node.channel?.localMsat
    scene.invoices = world.sends.map { send in
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
