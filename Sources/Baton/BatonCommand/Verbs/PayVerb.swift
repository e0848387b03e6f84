import PhoneClient
import Terminal
import Ground
import DaemonRuntime
import LightningChannel

/// Pays an invoice as a remote sender.
enum PayVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "pay", summary: "pay an invoice as a sender, through the wallet's Lightning peer",
      options: [
        OptionDeclaration(
          "--amount", value: .text("AMOUNT"), help: "the amount, for an invoice without one"),
        OptionDeclaration(
          "--parts", value: .integer(2...Int64(ChannelRecord.maximumHTLCs)),
          help: "pay in N parts of about equal size"),
        OptionDeclaration(
          "--apart", value: .span, help: "with --parts: the time between two parts"),
        OptionDeclaration("--no-wait", help: "return as soon as the payment is offered or held"),
        OptionDeclaration(
          "--hold-seconds", value: .integer(0...86_400),
          help:
            "how long the peer holds the payment for an offline wallet (default: the peer's setting)"),
      ],
      positionals: [
        PositionalDeclaration(
          "INVOICE", value: .text("INVOICE"),
          help: "an invoice in lower or upper case, also with the prefix lightning:")
      ],
      examples: [
        ("baton pay lnbcrt50u1…", "wait until the payment is settled or failed"),
        ("baton pay lnbcrt50u1… --parts 2 --apart 5s", "the wallet takes both parts or neither"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let chosen = try invocation.line.text("--amount").map { word throws(CommandFailure) in
      try InvoiceVerb.amountMsat(word, name: "--amount")
    }
    let invoice = try PayableInvoice(
      typed: invocation.word(), amountMsat: chosen, at: Clock().wallNanoseconds)
    let waits = !invocation.line.isGiven("--no-wait")
    if let parts = invocation.line.integer("--parts") {
      var payment = try PaymentInParts(invoice, parts: UInt64(clamping: parts), invocation)
      return try payment.run(waits: waits)
    }
    if invocation.line.isGiven("--apart") {
      throw CommandFailure(.wrongUsage, "--apart requires --parts")
    }
    let start = Clock.monotonicNow
    var outcome = PaymentAnswer(
      try invocation.phone.ask(
        .lspd, invoice.payRequest(waits: false, holdSeconds: invocation.line.integer("--hold-seconds"))))
    if waits, !outcome.isFailure, !outcome.isSettled {
      PayInterruption.handle(isJSON: invocation.output.isJSON)
      if let words = outcome.heldSentence { invocation.output.remark(words) }
      outcome = try waitForEnd(of: outcome, invoice, invocation)
    }
    let took = Clock.monotonicNow - start
    invocation.output.say(outcome.sentence(invoice, took: took), json: outcome.document(invoice, took: took))
    return outcome.isFailure ? .paymentFailed : .done
  }

  /// The peer keeps the outcome, also of a payment that ended before this request.
  private static func waitForEnd(
    of begun: PaymentAnswer, _ invoice: PayableInvoice, _ invocation: Invocation
  ) throws -> PaymentAnswer {
    var question = ControlMessage("await", ["payment-hash": invoice.paymentHash.hex])
    question["payment"] = begun.payment
    return PaymentAnswer(try invocation.phone.ask(.lspd, question, timeout: .seconds(2 * 86_400)))
  }
}
