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
