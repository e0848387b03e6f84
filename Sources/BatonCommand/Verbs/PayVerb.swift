import CoreShape
import DaemonRuntime
import Lightning

/// Pays an invoice, as somebody far away would.
enum PayVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "pay", summary: "pay an invoice as a sender, through the wallet's Lightning peer",
      options: [
        OptionDeclaration("--no-wait", help: "return as soon as the payment is on its way or held"),
        OptionDeclaration(
          "--hold-seconds", value: .integer(0...86_400),
          help:
            "how long the peer holds it for a wallet that is away (default: what the peer was started with)"),
      ],
      positionals: [
        PositionalDeclaration("INVOICE", value: .text("INVOICE"), help: "what `baton invoice` printed")
      ],
      examples: [("baton pay lnbaton101…", "waits until it is settled, or failed")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let invoice = try read(invocation.word(), at: Clock().wallNanoseconds)
    let waits = !invocation.line.isGiven("--no-wait")
    let start = Clock.monotonicNow
    let answer = try invocation.phone.ask(
      .lspd, request(invoice, waits: waits, holdSeconds: invocation.line.integer("--hold-seconds")),
      timeout: .seconds(2 * 86_400))
    let outcome = PaymentAnswer(answer)
    let took = Clock.monotonicNow - start
    invocation.output.say(outcome.sentence(invoice, took: took), json: outcome.json(invoice, took: took))
    return outcome.isFailure ? .daemonMissing : .done
  }

  static func request(_ invoice: InvoiceText, waits: Bool, holdSeconds: Int64? = nil) -> ControlMessage {
    var message = ControlMessage(
      "pay",
      [
        "payment-hash": invoice.paymentHash.hex, "amount-msat": "\(invoice.amountMsat)",
        "wait": waits ? "yes" : "no",
      ])
    if let holdSeconds { message["hold-seconds"] = "\(holdSeconds)" }
    return message
  }

  /// The sender has a clock of its own, which is not the phone's.
  static func read(_ word: String, at wallNanoseconds: Int64) throws(CommandFailure) -> InvoiceText {
    let trimmed = String(word.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    let invoice: InvoiceText
    do throws(InvoiceTextError) {
      invoice = try InvoiceText(decoding: trimmed)
    } catch { throw CommandFailure(.wrongUsage, error.description) }
    guard invoice.amountMsat > 0 else {
      throw CommandFailure(.wrongUsage, "the invoice asks for nothing; make one with an amount")
    }
    let now = wallNanoseconds / 1_000_000_000
    guard !invoice.isExpired(atWallSeconds: now) else {
      let (ago, overflowed) = now.subtractingReportingOverflow(invoice.expiresAt)
      let age =
        overflowed ? "long" : HumanText.span(Span(nanoseconds: min(ago, 9_000_000_000) * 1_000_000_000))
      throw CommandFailure(.wrongUsage, "the invoice expired \(age) ago; ask for a new one")
    }
    return invoice
  }
}

/// What the provider said about a payment.
struct PaymentAnswer {
  var state: String
  var preimage: String?
  var code: String?
  var reason: String?

  init(_ answer: ControlMessage) {
    state = answer["state"] ?? "unknown"
    preimage = answer["preimage"]
    code = answer["code"]
    reason = answer["reason"]
  }

  var isFailure: Bool { state == "failed" }
  var isSettled: Bool { state == "settled" }

  func sentence(_ invoice: InvoiceText, took: Span) -> String {
    let amount = HumanText.amount(msat: invoice.amountMsat)
    switch state {
    case "settled": return "settled: \(amount) in \(HumanText.span(took)), preimage \(preimage ?? "?")"
    case "failed": return "failed with code \(code ?? "?"): \(meaning)"
    case "held": return "held: the wallet is away and was sent a push; the payment waits for it"
    case "offered": return "on its way: the payment is in the wallet's channel"
    default: return "the peer says \(state)"
    }
  }

  private var meaning: String {
    switch reason {
    case "recipient-away": "the wallet did not come in time; try again later"
    case "no-balance": "the peer cannot forward that much; pay less"
    case "amount-is-zero": "the amount is zero; make an invoice with an amount"
    case "already-pending": "a payment of this invoice is on its way; wait for it"
    case "already-paid": "this invoice is paid already; ask for a new one"
    case "refused-by-recipient": "the wallet knows no such invoice, or the amount is wrong; ask for a new one"
    case let other: other ?? "no reason given"
    }
  }

  func json(_ invoice: InvoiceText, took: Span) -> JSONObject {
    var object = JSONObject()
    object.set("state", state)
    object.set("payment_hash", invoice.paymentHash.hex)
    object.set("amount_msat", invoice.amountMsat)
    object.set("preimage", ifPresent: preimage)
    object.set("code", ifPresent: code)
    object.set("reason", ifPresent: reason)
    if isFailure { object.set("meaning", meaning) }
    object.set("took_ms", took.wholeMilliseconds)
    return object
  }
}
