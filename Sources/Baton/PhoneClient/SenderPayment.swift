import Crypto
import DaemonRuntime
import Ground
import Lightning
import PhonePolicy

/// lspd's answer about a payment.
package struct PaymentAnswer: Sendable {
  /// lspd's state of an attempt that it does not have.
  package static let neverArrived = "never-arrived"

  /// lspd's number of the payment.
  package var payment: String?
  package var state: String
  package var preimage: String?
  package var code: String?
  package var reason: String?
  /// How long lspd still holds it.
  package var heldFor: TimeSpan?
  /// How the wallet hears of it, while lspd holds it: `push`, `webhook`, `webhook-later` or `nothing`.
  package var wokenBy: String?

  package init(_ answer: ControlMessage) {
    payment = answer["payment"]
    state = answer["state"] ?? "unknown"
    preimage = answer["preimage"]
    code = answer["code"]
    reason = answer["reason"]
    heldFor = answer["held-for-ms"].flatMap { Int64($0) }.map { .milliseconds($0) }
    wokenBy = answer["woken-by"]
  }

  package var isFailure: Bool { state == "failed" }
  package var isSettled: Bool { state == "settled" }
  /// Another payment of the same hash is pending or settled.
  package var isOfPaymentUnderWay: Bool { ["already-pending", "already-paid"].contains(reason) }

  package func sentence(_ invoice: PayableInvoice, took: TimeSpan) -> String {
    let amount = HumanText.amount(msat: invoice.amountMsat)
    switch state {
    case "settled": return "settled: \(amount) in \(HumanText.span(took)), preimage \(preimage ?? "?")"
    case "failed": return failureSentence
    case "held": return "held: the wallet is offline; \(wakingWords), and holds the payment"
    case "offered": return Self.offered
    case "pending": return Self.pending(took)
    default: return "lspd answered with the state \(state)"
    }
  }

  package static func pending(_ took: TimeSpan) -> String {
    "pending: no outcome in \(HumanText.span(took)), and the payment may still settle; `baton list payments` shows how it ends"
  }

  private static let offered = "offered: the HTLC is in the wallet's channel"

  /// What the peer does for a wallet that is offline. Not what it has done: the call or push may fail.
  package var wakingWords: String {
    switch wokenBy {
    case "webhook": "the peer calls the wallet's webhook and requests no push"
    case "webhook-later": "the peer calls the wallet's webhook after its cooldown and requests no push"
    case "nothing": "the peer knows no phone to push to and no webhook"
    default: "the peer requests a push"
    }
  }

  /// Printed while waiting for the outcome.
  package var pendingSentence: String? {
    switch state {
    case "held":
      let time = heldFor.map {
        " for \(HumanText.span($0)), until \(WallClockText.write(Clock().wallNanoseconds + $0.nanoseconds))"
      }
      return "held: the wallet is offline; \(wakingWords), and holds the payment\(time ?? "")"
    case "offered": return Self.offered
    default: return nil
    }
  }

  package var failureSentence: String { "failed with \(failure?.words ?? "code \(code ?? "?")"): \(meaning)" }

  package var failure: FailureCode? {
    code.flatMap { UInt16($0.dropFirst(2), radix: 16) }.map { FailureCode(rawValue: $0) }
  }

  /// The meaning of the recipient's failure code.
  private var refusal: String {
    if failure?.rawValue == FailureCode.mppTimeout {
      return "the other parts did not arrive in time; try again later"
    }
    guard let failure = failure?.failureClass else { return "the recipient refused the payment" }
    return "\(failure.reason); \(failure.mayPass ? "try again later" : "ask for a new invoice")"
  }

  package var meaning: String {
    switch reason {
    case "too-many-pending": "the peer holds too many payments already; try again later"
    case "recipient-away": "the wallet did not connect in time; try again later"
    case "channel-failed": "the wallet's channel has failed for good; ask for an invoice of another wallet"
    case "no-balance": "the peer cannot forward this amount; pay less"
    case "amount-is-zero": "the amount is zero; make an invoice with an amount"
    case "already-pending": "a payment of this invoice is pending; wait for it"
    case "already-paid": "this invoice is paid already; ask for a new one"
    case "refused-by-recipient": refusal
    case "on-order": failure?.failureClass.reason ?? "the peer was told to fail it"
    case "another-payee":
      "the invoice is of another wallet, and lspd delivers to its own wallet only; pay it with `baton send`"
    case let other: other ?? "no reason given"
    }
  }

  package func document(_ invoice: PayableInvoice, took: TimeSpan) -> PaymentDocument {
    var document = PaymentDocument(state, of: invoice, took: took)
    document.preimage = preimage
    document.code = code
    document.codeName = failure?.name
    document.reason = reason
    document.meaning = isFailure ? meaning : nil
    document.wokenBy = wokenBy
    return document
  }
}

/// The outcome of a payment; the members from `failureClass` on are those of a sender that tries again.
package struct PaymentDocument: Report {
  /// held, offered, settled, failed, pending or not-sent; of `baton send` offered, settled, failed or lost.
  package var state: String
  package var paymentHash: String
  package var amountMsat: UInt64
  package var preimage: String?
  package var code: String?
  /// BOLT 4's name of `code`.
  package var codeName: String?
  /// lspd's reason, or the hint's if a hint has ended the payment.
  package var reason: String?
  /// The failure as a sentence.
  package var meaning: String?
  /// Of a held payment, how the wallet hears of it: push, webhook, webhook-later or nothing.
  package var wokenBy: String?
  package var failureClass: String?
  /// What ended the attempts: final, attempts, deadline or hint.
  package var endedBy: String?
  package var attempts: Int?
  /// What the sender's screen shows.
  package var headline: String?
  package var text: String?
  package var button: String?
  package var symbol: String?
  package var colour: String?
  package var seed: UInt64?
  package var parts: [Part]?
  /// None if nothing was sent.
  package var tookMs: Int64?

  package struct Part: Report {
    package var amountMsat: UInt64
    /// lspd's number of the part.
    package var payment: Int64?
    /// A payment's state, or not-sent or not-needed.
    package var state: String
    package var code: String?
  }

  package init(_ state: String, of paymentHash: String, amountMsat: UInt64, took: TimeSpan? = nil) {
    self.state = state
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    tookMs = took?.wholeMilliseconds
  }

  package init(_ state: String, of invoice: PayableInvoice, took: TimeSpan? = nil) {
    self.init(state, of: invoice.paymentHash.hex, amountMsat: invoice.amountMsat, took: took)
  }
}

extension FailureCode {
  /// Such as `incorrect_or_unknown_payment_details (0x400f)`.
  package var words: String { name.map { "\($0) (\(self))" } ?? "code \(self)" }
}

/// The fields of an invoice that a sender needs, after the check that it can be paid here.
package struct PayableInvoice: Hashable {
  /// As it was typed.
  package let text: String
  package let paymentHash: Bytes32
  package let amountMsat: UInt64
  package let payee: PublicKey
  package let paymentSecret: Bytes32
  /// The payee supports `basic_mpp`.
  package let mayComeInParts: Bool
  package let expiresAtWallSeconds: Int64

  private static let network = BitcoinNetwork.regtest
  private static let served = [Features.varOnionOptin, Features.paymentSecret, Features.basicMPP]

  /// `wallNanoseconds` is the sender's clock, not the phone's. Nil: the sender looks itself whether the invoice has
  /// expired, before each attempt.
  package init(
    typed word: String, amountMsat chosen: UInt64? = nil, at wallNanoseconds: Int64?
  ) throws(CommandFailure) {
    let invoice = try SignedInvoice(typed: word)
    try require(
      invoice.fields.network == Self.network, .wrongUsage,
      "the invoice is for \(invoice.fields.network.rawValue), but this phone's wallet is on \(Self.network.rawValue); pay it with another wallet"
    )
    let now = wallNanoseconds.map { $0 / 1_000_000_000 }
    if let now, invoice.fields.isExpired(atWallSeconds: now) {
      throw CommandFailure(
        .wrongUsage,
        "the invoice expired \(HumanText.age(fromSeconds: invoice.fields.expiresAt, to: now)) ago; ask for a new one"
      )
    }
    if let bit = invoice.fields.features.bits.first(where: {
      $0.isMultiple(of: 2) && !Self.served.contains($0)
    }) {
      throw CommandFailure(
        .wrongUsage,
        "the invoice requires \(Features.nameInInvoices(of: bit) ?? "feature \(bit)"), which is not supported; pay it with another wallet"
      )
    }
    try self.init(invoice, word, chosen: chosen)
  }

  private init(_ invoice: SignedInvoice, _ text: String, chosen: UInt64? = nil) throws(CommandFailure) {
    self.text = text
    amountMsat = try invoice.amountMsat(chosen: chosen)
    paymentHash = invoice.paymentHash
    payee = invoice.payee
    paymentSecret = invoice.fields.paymentSecret
    mayComeInParts = invoice.fields.features.offers(Features.basicMPP)
    expiresAtWallSeconds = invoice.fields.expiresAt
  }

  /// Asks the phone's app for a new invoice.
  package init(
    madeBy phone: Phone, amountMsat: UInt64, expiresAfter: TimeSpan = .seconds(86_400), text: String = "",
    timeout: TimeSpan = .seconds(30)
  ) throws {
    let answer = try phone.askApp(
      ControlMessage(
        "invoice",
        [
          "amount-msat": "\(amountMsat)", "expiry-seconds": "\(expiresAfter.wholeMilliseconds / 1000)",
          "description": text,
        ]), timeout: timeout)
    try self.init(madeByWallet: answer["invoice"] ?? "")
  }

  /// The invoice that this phone's wallet has just made.
  package init(madeByWallet word: String) throws(CommandFailure) {
    try self.init(SignedInvoice(madeByWallet: word), word)
  }
}

extension SignedInvoice {
  private static let scheme = "lightning:"

  /// Parses an invoice as pasted: with spaces around it, or the prefix `lightning:`.
  package init(typed word: String) throws(CommandFailure) {
    var text = word.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    if text.prefix(Self.scheme.count).lowercased() == Self.scheme { text = text.dropFirst(Self.scheme.count) }
    do throws(InvoiceError) {
      try self.init(decoding: String(text))
    } catch { throw CommandFailure(.wrongUsage, error.description) }
  }

  /// The amount to pay: the invoice's, or else the payer's.
  package func amountMsat(chosen: UInt64?) throws(CommandFailure) -> UInt64 {
    switch (amountMsat, chosen) {
    case (nil, nil):
      throw CommandFailure(.wrongUsage, "the invoice has no amount; add --amount")
    case (let asked?, _?):
      throw CommandFailure(
        .wrongUsage, "the invoice has an amount of \(HumanText.amount(msat: asked)); omit --amount")
    case (let asked?, nil): return asked
    case (nil, let chosen?): return chosen
    }
  }

  package init(madeByWallet word: String) throws(CommandFailure) {
    do throws(InvoiceError) {
      try self.init(decoding: word)
    } catch { throw CommandFailure(.bugOfOurs, "the answer has an invalid invoice: \(error)") }
  }
}

extension HumanText {
  /// The time between two seconds.
  package static func age(fromSeconds start: Int64, to end: Int64) -> String {
    let (seconds, overflowed) = end.subtractingReportingOverflow(start)
    if overflowed { return "long" }
    return seconds < 1
      ? "less than a second" : span(TimeSpan(nanoseconds: min(seconds, 9_000_000_000) * 1_000_000_000))
  }
}

// The sender's request to lspd.
extension PayableInvoice {
  /// The whole payment, or a part of it, under an id that no other attempt has: by it lspd finds the attempt after the
  /// connection broke.
  package func payRequest(partMsat: UInt64? = nil, waits: Bool, holdSeconds: Int64? = nil) -> ControlMessage {
    var message = ControlMessage(
      "pay",
      [
        "payment-hash": paymentHash.hex, "amount-msat": "\(partMsat ?? amountMsat)",
        "payment-secret": paymentSecret.hex, "total-msat": "\(amountMsat)", "payee": payee.hex,
        "attempt-id": (Bytes32(randomBytes(Bytes32.size)) ?? .zero).hex, "wait": waits ? "yes" : "no",
      ])
    if let holdSeconds { message["hold-seconds"] = "\(holdSeconds)" }
    return message
  }

  /// Splits into parts of about equal size, in whole satoshi where possible; nil if the amount is too small.
  package static func amounts(of totalMsat: UInt64, in count: UInt64) -> [UInt64]? {
    guard count > 0, totalMsat >= count else { return nil }
    let unit: UInt64 = totalMsat / count >= 1000 ? 1000 : 1
    let each = totalMsat / count / unit * unit
    return [UInt64](repeating: each, count: Int(count) - 1) + [totalMsat - each * (count - 1)]
  }
}
