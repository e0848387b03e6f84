import DaemonRuntime
import Ground
import Lightning
import PhonePolicy
import Wallet

/// Makes an invoice on the wallet, cancels or explains one.
enum InvoiceVerb: Verb {
  static let amountMsatMax: UInt64 = 2_100_000_000_000_000_000

  static let declaration = CommandLineDeclaration(
    name: "invoice", summary: "make and print a BOLT 11 invoice of the wallet, cancel one, or explain one",
    options: [
      OptionDeclaration("--text", value: .text("TEXT"), help: "the description, up to 200 bytes"),
      OptionDeclaration(
        "--expiry", value: .spanIn(.seconds(1) ... .seconds(31_536_000)), default: "1h",
        help: "how long the invoice can be paid, from 1s to 365d"),
      OptionDeclaration(
        "--external",
        help: "an invoice of another node in the network, for the wallet to pay with `baton send`"),
      OptionDeclaration(
        "--forgotten",
        help: "with --external: the other node does not know the invoice, and refuses the payment"),
      OptionDeclaration(
        "--cancel", value: .text("INVOICE"),
        help: "refuse payments of this invoice from now on; INVOICE may be its payment hash"),
      OptionDeclaration(
        "--read", value: .text("INVOICE"), help: "explain this invoice, of any network; no phone is needed"),
    ],
    positionals: [
      PositionalDeclaration(
        "AMOUNT", value: .text("AMOUNT"), count: .optional,
        help:
          "in satoshi, or in millisatoshi with the suffix msat: 5000, 1500msat; without it the payer chooses"
      )
    ],
    examples: [
      ("baton invoice 5000 --text Coffee", "an invoice for 5,000 sat; the app must be open"),
      ("baton pay $(baton invoice 21)", "make an invoice and pay it"),
      ("baton pay $(baton invoice) --amount 21", "the payer chooses the amount"),
      ("baton send $(baton invoice 21 --external)", "the wallet pays another node's invoice"),
      ("baton send $(baton invoice 21 --external --forgotten)", "the recipient refuses: the payment fails"),
      ("baton invoice --cancel lnbcrt50u1…", "later payments of this invoice fail"),
      ("baton invoice --read lnbc1…", "the fields of an invoice, and its signer"),
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    if let word = invocation.line.text("--read") { return try explain(word, invocation) }
    if let word = invocation.line.text("--cancel") { return try cancel(word, invocation) }
    let isExternal = invocation.line.isGiven("--external")
    let amount = try invocation.line.positionals.isEmpty ? nil : amountMsat(invocation.word())
    try require(
      amount != nil || !isExternal, .wrongUsage,
      "--external requires AMOUNT; write `baton invoice 5000 --external`")
    let seconds = invocation.line.time("--expiry").nanoseconds / 1_000_000_000
    var message = ControlMessage("invoice", ["expiry-seconds": "\(seconds)"])
    message["amount-msat"] = amount.map { "\($0)" }
    if let text = invocation.line.text("--text") {
      try require(
        text.utf8.count <= Invoice.textLimit, .wrongUsage,
        "--text has \(text.utf8.count) bytes and may have \(Invoice.textLimit); shorten it")
      message["description"] = text
    }
    if isExternal { message.verb = "external-invoice" }
    if invocation.line.isGiven("--forgotten") {
      guard isExternal else { throw CommandFailure(.wrongUsage, "--forgotten requires --external") }
      message["forgotten"] = "yes"
    }
    let phone = try invocation.phone
    let answer = try isExternal ? phone.ask(.lspd, message) : phone.askApp(message)
    let invoice = try SignedInvoice(madeByWallet: answer["invoice"] ?? "")
    let peer = isExternal ? nil : (try? phone.peerFacts(timeout: .seconds(5)))
    if let wallet = peer?.wallet { try checkPayee(of: invoice, wallet) }
    invocation.output.say(invoice.encoded, json: InvoicePage(invoice: invoice).document)
    if let peer, let amount, peer.wallet != nil, amount > peer.providerMsat {
      sayOnStandardError(
        "the wallet can receive \(HumanText.amount(msat: peer.providerMsat)) now: a payment of this invoice fails until it can receive more"
      )
    }
    return .done
  }

  /// Checks that the invoice's payee is the wallet: lspd knows the wallet's node id once they have connected.
  private static func checkPayee(of invoice: SignedInvoice, _ wallet: String) throws(CommandFailure) {
    guard wallet != invoice.payee.hex else { return }
    throw CommandFailure(
      .daemonMissing,
      "the invoice's payee is \(invoice.payee.hex), but this phone's wallet is \(wallet): do not pay it; `baton list processes` shows which iosd answers"
    )
  }

  /// Refuses options of a new invoice together with --cancel or --read.
  private static func refuseOthers(
    _ others: [String], of sentence: String, _ invocation: Invocation
  ) throws(CommandFailure) {
    let given = ["--text", "--expiry", "--external", "--forgotten"] + others
    let surplus = invocation.line.positionals.isEmpty ? given.first(where: invocation.line.isGiven) : "AMOUNT"
    if let surplus { throw CommandFailure(.wrongUsage, "\(sentence); leave \(surplus) out") }
  }

  private static func cancel(_ word: String, _ invocation: Invocation) throws -> ExitCode {
    try refuseOthers([], of: "--cancel takes an existing invoice", invocation)
    let hash = try Bytes32(hex: word.lowercased()) ?? SignedInvoice(typed: word).paymentHash
    try invocation.phone.askApp(ControlMessage("cancel", ["payment-hash": hash.hex]))
    return invocation.done(
      "cancelled: the wallet refuses payments of \(hash.hex.prefix(8)) from now on",
      json: Cancelled(paymentHash: hash.hex))
  }

  struct Cancelled: Report {
    var state = "cancelled"
    var paymentHash: String
  }

  private static func explain(_ word: String, _ invocation: Invocation) throws -> ExitCode {
    try refuseOthers(["--cancel"], of: "--read takes an existing invoice", invocation)
    let page = InvoicePage(invoice: try SignedInvoice(typed: word))
    if invocation.output.isJSON {
      invocation.output.say(page.document)
    } else {
      invocation.output.facts(page.rows(atWallSeconds: Clock().wallNanoseconds / 1_000_000_000))
    }
    return .done
  }

  static func amountMsat(_ word: String, name: String = "AMOUNT") throws(CommandFailure) -> UInt64 {
    let isMsat = word.hasSuffix("msat")
    let digits = isMsat ? String(word.dropLast(4)) : word.hasSuffix("sat") ? String(word.dropLast(3)) : word
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw CommandFailure(
        .wrongUsage,
        "\(name) must be a whole number of sat, or of msat such as 1500msat, not \(UsageError.quoted(word))")
    }
    // Only digits: a conversion fails only for a number that is too large.
    let (amount, overflowed) = (UInt64(digits) ?? .max).multipliedReportingOverflow(by: isMsat ? 1 : 1000)
    try require(
      !overflowed && amount >= 1 && amount <= amountMsatMax, .wrongUsage,
      "\(name) must be at least 1 msat and at most 21 million bitcoin, not \(UsageError.quoted(word))")
    return amount
  }
}

/// The fields of an invoice, as text or as JSON.
struct InvoicePage {
  let invoice: SignedInvoice

  private var fields: InvoiceFields { invoice.fields }
  private var expirySeconds: UInt64 { fields.expirySeconds ?? InvoiceFields.expirySecondsStandard }
  private var finalExpiryDelta: UInt64 { fields.finalExpiryDelta ?? InvoiceFields.finalExpiryDeltaStandard }

  // MARK: Text

  func rows(atWallSeconds now: Int64) -> [(String, String)] {
    var rows = [
      ("network", fields.network.rawValue),
      ("amount", fields.amountMsat.map { HumanText.amount(msat: $0) } ?? "chosen by the payer"), purpose,
      ("made", Self.time(Int64(clamping: fields.timestamp))), ("expires", expiry(now)),
      (
        "payee",
        "\(invoice.payee), \(fields.payee == nil ? "from the signature" : "named, and matching the signature")"
      ),
      ("payment hash", fields.paymentHash.hex), ("payment secret", fields.paymentSecret.hex),
      ("last HTLC", "expires after at least \(finalExpiryDelta) blocks"),
      ("features", fields.features.bits.map(Self.feature).joined(separator: ", ")),
    ]
    if fields.features.bits.isEmpty { rows[rows.count - 1].1 = "none" }
    for hint in fields.routeHints {
      rows.append(("through", hint.map(Self.sentence).joined(separator: ", then ")))
    }
    for address in fields.fallbacks { rows.append(("or on chain", address.text(on: fields.network))) }
    if let metadata = fields.metadata { rows.append(("metadata", metadata.hex)) }
    return rows
  }

  private var purpose: (String, String) {
    switch fields.purpose {
    case .text(let text): ("text", text)
    case .hash(let hash): ("description hash", hash.hex)
    }
  }

  private func expiry(_ now: Int64) -> String {
    let end = Self.time(fields.expiresAt)
    return fields.isExpired(atWallSeconds: now)
      ? "\(end), \(HumanText.age(fromSeconds: fields.expiresAt, to: now)) ago"
      : "\(end), in \(HumanText.age(fromSeconds: now, to: fields.expiresAt))"
  }

  private static func time(_ seconds: Int64) -> String {
    let (nanoseconds, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflowed ? "after the year 2262" : WallClockText.write(nanoseconds)
  }

  private static func feature(_ bit: Int) -> String {
    let name = Features.nameInInvoices(of: bit) ?? "unknown"
    return "\(bit) \(name) (\(bit.isMultiple(of: 2) ? "required" : "optional"))"
  }

  private static func sentence(_ hop: RouteHop) -> String {
    "\(hop.node) by channel \(hop.channel), fee \(hop.baseFeeMsat) msat and \(hop.feeMillionths) ppm, \(hop.expiryDelta) blocks"
  }

  // MARK: JSON

  /// The fields; times in seconds, as in BOLT 11.
  struct Document: Report {
    var invoice: String
    var network: String
    var paymentHash: String
    var paymentSecret: String
    var amountMsat: UInt64?
    var text: String?
    var textHash: String?
    var timestamp: UInt64
    var expirySeconds: UInt64
    var expiresAt: Int64
    var minFinalCltvExpiryDelta: UInt64
    var payee: String
    var features: [Feature]
    var routeHints: [[Hop]]
    var fallbacks: [String]
    var metadata: String?
    var signature: String
  }

  struct Feature: Report {
    var bit: Int
    var name: String?
    var required: Bool
  }

  struct Hop: Report {
    var node: String
    var shortChannelId: String
    var feeBaseMsat: UInt32
    var feeProportionalMillionths: UInt32
    var cltvExpiryDelta: UInt16
  }

  var document: Document {
    var document = Document(
      invoice: invoice.encoded, network: fields.network.rawValue, paymentHash: fields.paymentHash.hex,
      paymentSecret: fields.paymentSecret.hex, amountMsat: fields.amountMsat, timestamp: fields.timestamp,
      expirySeconds: expirySeconds, expiresAt: fields.expiresAt, minFinalCltvExpiryDelta: finalExpiryDelta,
      payee: invoice.payee.hex,
      features: fields.features.bits.map {
        Feature(bit: $0, name: Features.nameInInvoices(of: $0), required: $0.isMultiple(of: 2))
      },
      routeHints: fields.routeHints.map { hint in
        hint.map {
          Hop(
            node: $0.node.hex, shortChannelId: $0.channel.description, feeBaseMsat: $0.baseFeeMsat,
            feeProportionalMillionths: $0.feeMillionths, cltvExpiryDelta: $0.expiryDelta)
        }
      },
      fallbacks: fields.fallbacks.map { $0.text(on: fields.network) }, metadata: fields.metadata?.hex,
      signature: Hexadecimal.encode(invoice.signature.compact))
    switch fields.purpose {
    case .text(let text): document.text = text
    case .hash(let hash): document.textHash = hash.hex
    }
    return document
  }
}
