import DaemonRuntime
import Glibc
import Ground
import Lightning
import PhonePolicy

/// Pays an invoice as a remote sender.
enum PayVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "pay", summary: "pay an invoice as a sender, through the wallet's Lightning peer",
    options: [
      OptionDeclaration("--amount", value: .text("AMOUNT"), help: "the amount, for an invoice without one"),
      OptionDeclaration(
        "--parts", value: .integer(2...Int64(ChannelRecord.maximumHTLCs)),
        help: "pay in N parts of about equal size"),
      OptionDeclaration("--apart", value: .span, help: "with --parts: the time between two parts"),
      OptionDeclaration("--no-wait", help: "return as soon as the payment is offered or held"),
      OptionDeclaration(
        "--timeout", value: .span,
        help:
          "without --retry: how long to wait until the payment, or each of --count, counts as pending (default: 2 minutes, and 30 s longer than the peer holds it)"
      ),
      OptionDeclaration(
        "--hold-seconds", value: .integer(0...86_400),
        help:
          "how long the peer holds the payment for an offline wallet (default: the peer's setting, with --retry \(SenderSettings.standardHold.wholeMilliseconds / 1000))"
      ),
    ] + RetryOptions.declarations.grouped("several attempts")
      + [
        OptionDeclaration(
          "--count", value: .integer(1...10_000),
          help: "pay N new invoices of --amount, which the open app makes first; without INVOICE"),
        OptionDeclaration(
          "--rate", value: .integer(1...1000), help: "with --count: payments per second (default: 10)"),
      ].grouped("many payments"),
    positionals: [
      PositionalDeclaration(
        "INVOICE", value: .text("INVOICE"), count: .optional,
        help: "an invoice in lower or upper case, also with the prefix lightning:")
    ],
    examples: [
      ("baton pay lnbcrt50u1…", "wait until the payment is settled or failed"),
      ("baton pay lnbcrt50u1… --parts 2 --apart 5s", "the wallet takes both parts or neither"),
      ("baton pay lnbcrt50u1… --retry hint", "up to four attempts within 12 s, as the peer advises"),
      ("baton pay --count 100 --rate 20 --amount 21", "how long 100 payments take, 20 per second"),
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let chosen = try invocation.line.text("--amount").map { word throws(CommandFailure) in
      try InvoiceVerb.amountMsat(word, name: "--amount")
    }
    let retry = try RetryOptions(invocation.line)
    if let count = invocation.line.integer("--count") {
      return try load(Int(count), chosen, retry, invocation)
    }
    if invocation.line.isGiven("--rate") { throw CommandFailure(.wrongUsage, "--rate requires --count") }
    try require(
      !invocation.line.positionals.isEmpty, .wrongUsage,
      "INVOICE is missing; write `baton pay INVOICE`, or see baton pay -h")
    let invoice = try PayableInvoice(
      typed: invocation.word(), amountMsat: chosen, at: retry.policy == .off ? Clock().wallNanoseconds : nil)
    let waits = !invocation.line.isGiven("--no-wait")
    if !waits { try refuse(["--timeout"], beside: "--no-wait", invocation) }
    if retry.policy != .off {
      try refuse(
        ["--parts", "--apart", "--no-wait", "--timeout"], beside: "--retry \(retry.policy.rawValue)",
        invocation)
      return try RetriedPayment(invoice, retry, invocation).run()
    }
    if let parts = invocation.line.integer("--parts") {
      var payment = try PaymentInParts(invoice, parts: UInt64(clamping: parts), invocation)
      return try payment.run(waits: waits)
    }
    if invocation.line.isGiven("--apart") { throw CommandFailure(.wrongUsage, "--apart requires --parts") }
    let start = Clock.monotonicNow
    let request = invoice.payRequest(waits: false, holdSeconds: invocation.line.integer("--hold-seconds"))
    var outcome = try invocation.phone.pay(request)
    if waits, !outcome.isFailure, !outcome.isSettled {
      PayInterruption.handle(isJSON: invocation.output.isJSON)
      if let words = outcome.pendingSentence { invocation.output.remark(words) }
      do {
        outcome = try invocation.phone.outcome(
          of: request, timeout: PaymentLoad.timeout(invocation.line, hold: outcome.heldFor))
      } catch ControlClientError.timedOut, ControlClientError.outcomeUnknown { outcome.state = "pending" }
    }
    let took = Clock.monotonicNow - start
    invocation.output.say(outcome.sentence(invoice, took: took), json: outcome.document(invoice, took: took))
    return outcome.isFailure ? .paymentFailed : outcome.state == "pending" ? .tooSlow : .done
  }

  private static func load(
    _ count: Int, _ amountMsat: UInt64?, _ retry: RetryOptions, _ invocation: Invocation
  ) throws -> ExitCode {
    try refuse(["--parts", "--apart", "--no-wait", "--button"], beside: "--count", invocation)
    try require(
      invocation.line.positionals.isEmpty, .wrongUsage, "--count makes its own invoices; omit INVOICE")
    if retry.policy != .off {
      try refuse(["--timeout"], beside: "--retry \(retry.policy.rawValue)", invocation)
    }
    guard let amountMsat else { throw CommandFailure(.wrongUsage, "--count requires --amount") }
    return try PaymentLoad(retry, count: count, rate: invocation.line.integer("--rate") ?? 10, invocation)
      .run(amountMsat: amountMsat)
  }

  private static func refuse(
    _ names: [String], beside option: String, _ invocation: Invocation
  ) throws(CommandFailure) {
    guard let name = names.first(where: invocation.line.isGiven) else { return }
    throw CommandFailure(.wrongUsage, "\(name) cannot be combined with \(option); omit one of them")
  }
}

/// ^C, SIGTERM and the like while `pay` waits: says that the payment continues without it.
enum PayInterruption {
  private static let advice: StaticString =
    "stopped waiting; the payment continues; while the wallet is offline the peer holds it, until the hold time is over; `baton list payments` shows how it ends"
  nonisolated(unsafe) private static var isJSON = false

  /// Called again for each attempt.
  static func handle(isJSON: Bool) {
    self.isJSON = isJSON
    for one in Interruption.handled { signal(one.rawValue) { PayInterruption.end(by: $0) } }
  }

  /// Nothing is under way.
  static func stop() { for one in Interruption.handled { signal(one.rawValue, SIG_DFL) } }

  /// A signal handler must not allocate.
  private static func end(by number: Int32) {
    if isJSON {
      put(#"{"error":{"code":"interrupted","exit":"#, to: standardOutput)
      let code = 128 + number
      var digits = (UInt8(48 + code / 100), UInt8(48 + code / 10 % 10), UInt8(48 + code % 10))
      _ = write(standardOutput, &digits, 3)
      put(#","message":""#, to: standardOutput)
      put(advice, to: standardOutput)
      put("\"}}\n", to: standardOutput)
    }
    put("baton: ", to: standardError)
    put(advice, to: standardError)
    put("\n", to: standardError)
    _exit(128 + number)
  }

  private static func put(_ text: StaticString, to file: Int32) {
    _ = write(file, text.utf8Start, text.utf8CodeUnitCount)
  }
}
