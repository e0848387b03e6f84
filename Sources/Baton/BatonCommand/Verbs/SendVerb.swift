import PhoneClient
import Terminal
import Ground
import DaemonRuntime
import LightningInvoices

/// The user pays with the wallet. What became of it is read from the wallet's own row: it may be another process that
/// ends the payment than the one that began it.
enum SendVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "send", summary: "pay an invoice from the wallet, with the app in front",
      options: [
        OptionDeclaration(
          "--amount", value: .text("AMOUNT"), help: "how much, when the invoice leaves it to the payer"),
        OptionDeclaration("--no-wait", help: "return as soon as the payment is in the channel"),
      ],
      positionals: [
        PositionalDeclaration(
          "INVOICE", value: .text("INVOICE"),
          help: "of another node, such as `baton invoice AMOUNT --external` makes; also behind lightning:")
      ],
      examples: [
        ("baton send $(baton invoice 21 --external)", "waits until it is settled, or failed"),
        ("baton send lnbcrt210n1… --no-wait", "and then `baton app home`: the app stays awake for it"),
      ])
  }

  /// While it waits it looks at the wallet's rows, and at the copy of a database that nobody has open.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(
      name: "send", isLooking: true, goesOn: "if the payment has begun, it goes on without this command",
      needsPlace: false)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let invoice = try SignedInvoice(typed: invocation.word())
    let chosen = try invocation.line.text("--amount").map { word throws(CommandFailure) in
      try InvoiceVerb.amountMsat(word, name: "--amount")
    }
    let amount = try invoice.amountMsat(chosen: chosen)
    var message = ControlMessage("send", ["invoice": invoice.encoded])
    message["amount-msat"] = chosen.map { "\($0)" }
    let start = Clock.monotonicNow
    try invocation.phone.askApp(message, inFront: true)
    let isPatient = !invocation.line.isGiven("--no-wait")
    let offered = SentPayment(
      paymentHash: invoice.paymentHash.hex, amountMsat: amount, took: Clock.monotonicNow - start)
    if !isPatient || !invocation.output.isJSON {
      invocation.output.say(offered.sentence, json: offered.document)
    }
    guard isPatient else { return .done }
    let ended = try waitForEnd(of: offered, invocation, since: start)
    invocation.output.say(ended.sentence, json: ended.document)
    return ended.isSettled ? .done : .paymentFailed
  }

  private static func waitForEnd(
    of payment: SentPayment, _ invocation: Invocation, since start: Instant
  ) throws -> SentPayment {
    try PaymentEnder(phone: invocation.phone).wait(invocation) { wallet in
      let row = wallet.sent.last { $0.paymentHash == payment.paymentHash }
      guard let row, row.state != "pending" else { return nil }
      return SentPayment(row, took: Clock.monotonicNow - start)
    }
  }
}
