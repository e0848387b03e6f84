import Ground
import DaemonRuntime
import Lightning

// Payments by the user on real processes.
extension RealStage {
  func makeExternalInvoice(_ invoice: PlannedInvoice) throws {
    let answer = try phone.ask(
      .lspd,
      ControlMessage(
        "external-invoice",
        [
          "amount-msat": "\(invoice.amountMsat)", "expiry-seconds": "86400",
          "forgotten": invoice.isForgotten ? "yes" : "no",
        ]))
    externalInvoices.append(try SignedInvoice(typed: answer["invoice"] ?? ""))
  }

  /// Waits for the app's answer, as `baton send --no-wait` does.
  func payInvoice(_ number: Int) throws {
    guard externalInvoices.indices.contains(number - 1) else {
      throw CannotBeDone("there is no such invoice")
    }
    let message = ControlMessage("send", ["invoice": externalInvoices[number - 1].encoded])
    try request { phone throws(ControlClientError) in try phone.askApp(message, inFront: true) }
  }

  func noteInvoices(_ wallet: WalletView, _ scene: inout Scene) {
    scene.balanceMsat = wallet.channels.first?.localMsat
    scene.invoices = externalInvoices.map { invoice in
      Scene.ExternalInvoice(wallet.sent.last { $0.paymentHash == invoice.paymentHash.hex }?.state)
    }
  }
}
