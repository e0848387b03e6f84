import Ground
import DaemonRuntime
import Lightning

/// Pays from the wallet. The outcome is read from the wallet's row: another process may complete the payment.
enum SendVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "send", summary: "pay an invoice from the wallet, with the app in front",
    options: [
      OptionDeclaration("--amount", value: .text("AMOUNT"), help: "the amount, for an invoice without one"),
      OptionDeclaration("--no-wait", help: "return as soon as the HTLC is offered"), PaymentEnder.timeout,
    ],
    positionals: [
      PositionalDeclaration(
        "INVOICE", value: .text("INVOICE"),
        help:
          "another node's invoice, as from `baton invoice AMOUNT --external`; also with the prefix lightning:"
      )
    ],
    examples: [
      ("baton send $(baton invoice 21 --external)", "wait until the payment is settled or failed"),
      (
        "baton send lnbcrt210n1… --no-wait",
        "after `baton app home` the app stays awake for the payment, 180 s at most"
      ),
    ])

  /// While waiting it reads the wallet's rows; a database that no process has open is copied to a temporary directory.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(isLooking: true, goesOn: "a payment that has begun continues without this command")
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let invoice = try SignedInvoice(typed: invocation.word())
    let chosen = try invocation.line.text("--amount").map { word throws(CommandFailure) in
      try InvoiceVerb.amountMsat(word, name: "--amount")
    }
    let amount = try invoice.amountMsat(chosen: chosen)
    var message = ControlMessage("send", ["invoice": invoice.encoded])
    message["amount-msat"] = chosen.map { "\($0)" }
    let hash = invoice.paymentHash.hex
    return try PaymentEnder(phone: invocation.phone).run(message, invocation) { _, took in
      PaymentDocument("offered", of: hash, amountMsat: amount, took: took)
    } ended: { wallet, _, took in
      let row = wallet.sent.last { $0.paymentHash == hash }
      return row.flatMap { $0.state == "pending" ? nil : PaymentDocument($0, took: took) }
    }
  }
}
