import Ground
import DaemonRuntime
import Lightning
import PhonePolicy

/// An outgoing payment as a sentence.
struct SentPayment {
  var paymentHash: String
  var amountMsat: UInt64
  /// The state in the wallet's row; `offered` while the HTLC is pending.
  var state = "offered"
  var preimage: String?
  var code: UInt16?
  var took: TimeSpan

  init(paymentHash: String, amountMsat: UInt64, took: TimeSpan) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.took = took
  }

  init(_ row: WalletView.SentFacts, took: TimeSpan) {
    self.init(paymentHash: row.paymentHash, amountMsat: row.amountMsat, took: took)
    state = row.state == "paid" ? "settled" : row.state
    preimage = row.preimage
    code = row.failureCode.flatMap { UInt16(exactly: $0) }
  }

  var isSettled: Bool { state == "settled" }

  private var failure: FailureCode? { code.map { FailureCode(rawValue: $0) } }
  private var meaning: String? {
    if state == "lost" {
      return
        "the outcome was lost with the wallet's database, and the payment may be settled; ask the recipient before you pay a new invoice"
    }
    guard let failure else { return nil }
    let next = failure.failureClass.mayPass ? "try again later" : "ask for a new invoice"
    return "\(failure.failureClass.reason); the money is back, \(next)"
  }

  var sentence: String {
    let amount = HumanText.amount(msat: amountMsat)
    switch state {
    case "offered": return "offered: \(amount), payment hash \(paymentHash.prefix(8))"
    case "settled": return "settled: \(amount) in \(HumanText.span(took)), preimage \(preimage ?? "?")"
    case "failed":
      guard let failure else { return "failed: the money is back" }
      return "failed with \(failure.words): \(meaning ?? "the money is back")"
    default: return "\(state): \(meaning ?? "the wallet's database has no details")"
    }
  }

  struct Document: Report {
    /// offered, settled, failed or lost.
    var state: String
    var paymentHash: String
    var amountMsat: UInt64
    var preimage: String?
    var code: String?
    var codeName: String?
    var meaning: String?
    var tookMs: Int64
  }

  var document: Document {
    Document(
      state: state, paymentHash: paymentHash, amountMsat: amountMsat, preimage: preimage,
      code: failure.map { "\($0)" }, codeName: failure?.name, meaning: meaning,
      tookMs: took.wholeMilliseconds)
  }
}
