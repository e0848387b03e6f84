import DaemonRuntime
import Lightning
import PhonePolicy

/// Orders to the Lightning peer.
enum LSPVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "lsp",
    summary: "have the Lightning peer fail payments, announce channels, or call the wallet's webhooks",
    subcommands: [
      CommandLineDeclaration(
        name: "fail", summary: "the peer fails the next N payments with this code, and then none",
        options: [
          OptionDeclaration(
            "--times", value: .integer(0...1_000_000), default: "1",
            help: "how many payments fail; 0 cancels an earlier order")
        ],
        positionals: [
          PositionalDeclaration(
            "CODE", value: .text("CODE"),
            help:
              "a failure code of BOLT 4, by its name or as 0x1007: \(codeNames.joined(separator: ", "))")
        ]),
      CommandLineDeclaration(
        name: "open-by-payment",
        summary: "a sender pays the invoice, and the peer announces a payment that opens a channel",
        positionals: [
          PositionalDeclaration(
            "INVOICE", value: .text("INVOICE"), help: "the wallet's, as `baton invoice` prints it")
        ]),
      CommandLineDeclaration(
        name: "order",
        summary: "the peer announces that the channel that the user ordered is paid and ready"),
      CommandLineDeclaration(
        name: "close", summary: "the peer force-closes the wallet's channel, and announces that"),
      CommandLineDeclaration(
        name: "webhooks", summary: "the wallet's webhooks at the peer, and the newest calls to them"),
      CommandLineDeclaration(
        name: "notify", summary: "have the peer call the webhooks of a disconnected wallet",
        options: [
          OptionDeclaration(
            "--timeout", value: .integer(0...4_294_967_295),
            help: "with expiry_soon: the block height at which the channel would close")
        ],
        positionals: [
          PositionalDeclaration("METHOD", value: .choice(notifications), help: "of LSPS5")
        ]),
    ],
    examples: [
      ("baton lsp webhooks", "what was called, when, and with which end"),
      ("baton lsp fail fee_insufficient --times 2", "two payments fail, the third is carried as ever"),
    ])

  /// Without LSPS5's prefix. The others come with a registration or a payment.
  private static let notifications = [
    WebhookNotification.Method.expirySoon, .liquidityManagementRequest, .onionMessageIncoming,
  ].map { String($0.rawValue.dropFirst(methodPrefix.count)) }
  private static let methodPrefix = "lsps5."

  static func run(_ invocation: Invocation) throws -> ExitCode {
    switch invocation.line.verbs.last {
    case "webhooks":
      try invocation.phone.ask(.lspd, ControlMessage("webhooks"), for: WebhookList.self).print(
        to: invocation.output)
    case "notify": try notify(invocation)
    case "open-by-payment": try openByPayment(invocation)
    case "order":
      try announce("order", "the peer announces to the wallet that its channel is ready", invocation)
    case "close":
      try announce("close", "the peer has force-closed the channel, and announces that", invocation)
    default: try failNext(invocation)
    }
  }

  private static func notify(_ invocation: Invocation) throws -> ExitCode {
    let word = invocation.word()
    var message = ControlMessage("notify", ["method": methodPrefix + word])
    let timeout = invocation.line.integer("--timeout")
    let hasTimeout = methodPrefix + word == WebhookNotification.Method.expirySoon.rawValue
    guard hasTimeout == (timeout != nil) else {
      throw CommandFailure(
        .wrongUsage,
        hasTimeout
          ? "\(word) is about a block height; add --timeout HEIGHT"
          : "\(word) has no block height; leave --timeout out")
    }
    message["timeout"] = timeout.map { "\($0)" }
    let answer = try invocation.phone.ask(.lspd, message)
    let calls = try answer.integer("calls", in: UInt64(0)...UInt64.max)
    return invocation.done(
      calls > 0
        ? "the peer calls \(HumanText.count(Int(clamping: calls), "webhook"))"
        : "the peer has called with \(word) already, and calls again when the cooldown is over, or once the wallet has been here",
      json: NotifyDocument(method: methodPrefix + word, timeout: timeout, calls: calls))
  }

  private static func openByPayment(_ invocation: Invocation) throws -> ExitCode {
    let invoice = try PayableInvoice(typed: invocation.word(), at: Clock().wallNanoseconds)
    var request = invoice.payRequest(waits: false)
    request["opens-channel"] = "yes"
    let answer = try invocation.phone.pay(request)
    invocation.output.say(answer.sentence(invoice, took: .zero), json: answer.document(invoice, took: .zero))
    return answer.isFailure ? .paymentFailed : .done
  }

  private static func announce(
    _ verb: String, _ sentence: String, _ invocation: Invocation
  ) throws -> ExitCode {
    let answer = try invocation.phone.ask(.lspd, ControlMessage(verb))
    return invocation.done(sentence, json: ChannelDocument(channel: answer["channel"] ?? "?"))
  }

  private static let codeNames = FailureCode.all.compactMap(\.name)

  static func codeName(_ typed: String) throws(CommandFailure) -> String {
    let number = typed.lowercased().hasPrefix("0x") ? UInt16(typed.dropFirst(2), radix: 16) : nil
    if let name = number.map({ FailureCode(rawValue: $0).name }) ?? FailureCode(name: typed)?.name {
      return name
    }
    let advice =
      NearestWord.find(typed, among: codeNames).map { "did you mean \($0)?" } ?? "see baton lsp fail -h"
    throw CommandFailure(
      .wrongUsage, "\(UsageError.quoted(typed)) is not a failure code of BOLT 4; \(advice)")
  }

  private static func failNext(_ invocation: Invocation) throws -> ExitCode {
    let name = try codeName(invocation.word())
    let times = invocation.line.number("--times")
    let answer = try invocation.phone.ask(
      .lspd, ControlMessage("fail-next", ["code": name, "times": "\(times)"]))
    let code = answer["code"] ?? "?"
    return invocation.done(
      sentence(name, code, times), json: Document(codeName: name, code: code, times: UInt64(clamping: times)))
  }

  private static func sentence(_ name: String, _ code: String, _ times: Int64) -> String {
    switch times {
    case 0: "the peer no longer fails payments"
    case 1: "the peer fails the next payment with \(name) (\(code))"
    default: "the peer fails the next \(times) payments with \(name) (\(code))"
    }
  }

  struct NotifyDocument: Report {
    var method: String
    /// A block height.
    var timeout: Int64?
    /// None while the method's cooldown lasts.
    var calls: UInt64
  }

  struct ChannelDocument: Report {
    /// The id of the wallet's channel.
    var channel: String
  }

  struct Document: Report {
    /// BOLT 4's name of `code`.
    var codeName: String
    var code: String
    var times: UInt64
  }
}
