import PhoneClient
import Terminal
import Ground
import DaemonRuntime
import LightningChannel

/// Pays an invoice, as somebody far away would.
enum PayVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "pay", summary: "pay an invoice as a sender, through the wallet's Lightning peer",
      options: [
        OptionDeclaration(
          "--amount", value: .text("AMOUNT"), help: "how much, when the invoice leaves it to the payer"),
        OptionDeclaration(
          "--parts", value: .integer(2...Int64(ChannelRecord.maximumHTLCs)),
          help: "pay in so many parts, of about the same size"),
        OptionDeclaration(
          "--apart", value: .span, help: "with that: how long after one part the next is sent"),
        OptionDeclaration("--no-wait", help: "return as soon as the payment is on its way or held"),
        OptionDeclaration(
          "--hold-seconds", value: .integer(0...86_400),
          help:
            "how long the peer holds it for a wallet that is away (default: what the peer was started with)"),
      ],
      positionals: [
        PositionalDeclaration(
          "INVOICE", value: .text("INVOICE"),
          help: "what `baton invoice` printed, in small or capital letters, also behind lightning:")
      ],
      examples: [
        ("baton pay lnbcrt50u1…", "waits until it is settled, or failed"),
        ("baton pay lnbcrt50u1… --parts 2 --apart 5s", "the wallet takes both parts, or none"),
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
      throw CommandFailure(.wrongUsage, "--apart is for a payment in parts; say how many with --parts")
    }
    let start = Clock.monotonicNow
    var outcome = PaymentAnswer(
      try invocation.phone.ask(
        .lspd, invoice.payRequest(waits: false, holdSeconds: invocation.line.integer("--hold-seconds"))))
    if waits, !outcome.isFailure, !outcome.isSettled {
      PayInterruption.heed(isJSON: invocation.output.isJSON)
      if let words = outcome.heldSentence { invocation.output.remark(words) }
      outcome = try waitForEnd(of: outcome, invoice, invocation)
    }
    let took = Clock.monotonicNow - start
    invocation.output.say(outcome.sentence(invoice, took: took), json: outcome.document(invoice, took: took))
    return outcome.isFailure ? .paymentFailed : .done
  }

  /// The peer knows how it ended, also if that was before it is asked.
  private static func waitForEnd(
    of begun: PaymentAnswer, _ invoice: PayableInvoice, _ invocation: Invocation
  ) throws -> PaymentAnswer {
    var question = ControlMessage("await", ["payment-hash": invoice.paymentHash.hex])
    question["payment"] = begun.payment
    return PaymentAnswer(try invocation.phone.ask(.lspd, question, timeout: .seconds(2 * 86_400)))
  }
}
