import CoreShape
import Crypto
import DaemonRuntime
import Lightning
import SharedContainer

/// The person pays with the wallet. What became of it is read from the wallet's own row: it may be another process that
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
          help: "somebody else's, as of `baton invoice AMOUNT --elsewhere`; also behind lightning:")
      ],
      examples: [
        ("baton send $(baton invoice 21 --elsewhere)", "waits until it is settled, or failed"),
        ("baton send lnbcrt210n1… --no-wait", "and then `baton app home`: the app stays awake for it"),
      ])
  }

  private static let lookPause = Span.milliseconds(100)

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let invoice = try SignedInvoice(typed: invocation.word())
    var message = ControlMessage("send", ["invoice": invoice.encoded])
    if let word = invocation.line.text("--amount") {
      message["amount-msat"] = "\(try InvoiceVerb.amountMsat(word, name: "--amount"))"
    }
    let start = Clock.monotonicNow
    let answer = try invocation.phone.ask(.iosd, message)
    let amount = answer["amount-msat"].flatMap { UInt64($0) } ?? invoice.amountMsat ?? 0
    let isPatient = !invocation.line.isGiven("--no-wait")
    let offered = SentPayment(
      paymentHash: invoice.paymentHash.hex, amountMsat: amount, took: Clock.monotonicNow - start)
    if !isPatient || !invocation.output.isJSON { invocation.output.say(offered.sentence, json: offered.json) }
    guard isPatient else { return .done }
    let ended = try waitForEnd(of: offered, invocation, since: start)
    invocation.output.say(ended.sentence, json: ended.json)
    return ended.isSettled ? .done : .daemonMissing
  }

  private static func waitForEnd(
    of payment: SentPayment, _ invocation: Invocation, since start: Instant
  ) throws -> SentPayment {
    let loop = try EventLoop()
    while true {
      let tables = try Snapshot.take(of: invocation.phone.container, rowsPerTableMax: 100_000).tables
      let row = WalletView(tables).sent.last { $0.paymentHash == payment.paymentHash }
      if let row, row.state != "pending" {
        return SentPayment(row, took: Clock.monotonicNow - start)
      }
      _ = try loop.run(for: lookPause) { false }
    }
  }
}
