import Inspection
import Ground
import DaemonRuntime
import LightningInvoices
import Scenario

// What the person pays on real processes.
extension RealStage {
  func makeBill(_ bill: PlannedBill) throws {
    let answer = try phone.ask(
      .lspd,
      ControlMessage(
        "elsewhere",
        [
          "amount-msat": "\(bill.amountMsat)", "expiry-seconds": "86400",
          "forgotten": bill.isForgotten ? "yes" : "no",
        ]))
    bills.append(try SignedInvoice(typed: answer["invoice"] ?? ""))
  }

  /// Until the person has an answer, as `baton send --no-wait` does.
  func payBill(_ number: Int) throws {
    guard bills.indices.contains(number - 1) else { throw CannotBeDone("there is no such bill") }
    let message = ControlMessage("send", ["invoice": bills[number - 1].encoded])
    try wish { phone throws(ControlClientError) in try phone.askApp(message, inFront: true) }
  }

  func noteBills(_ wallet: WalletView, _ scene: inout Scene) {
    scene.balanceMsat = wallet.channels.first?.localMsat
    scene.bills = bills.map { bill in
      Scene.Bill(wallet.sent.last { $0.paymentHash == bill.paymentHash.hex }?.state)
    }
  }
}
