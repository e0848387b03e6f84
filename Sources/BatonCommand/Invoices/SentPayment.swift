import Ground
import JSON
import DaemonRuntime
import Lightning

/// A payment of the wallet's own, in words.
struct SentPayment {
  var paymentHash: String
  var amountMsat: UInt64
  /// As the wallet's row has it; in the channel it is `offered`.
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
        "how it ended was lost with the wallet's database, and it may be paid; ask the recipient, and for a new invoice if it is not"
    }
    guard let failure else { return nil }
    let next = failure.advice.mayTryAgain ? "try again later" : "ask for a new invoice"
    return "\(failure.advice.reason); the money is back, \(next)"
  }

  var sentence: String {
    let amount = HumanText.amount(msat: amountMsat)
    switch state {
    case "offered": return "offered: \(amount) for \(paymentHash.prefix(8)) in the channel"
    case "settled": return "settled: \(amount) in \(HumanText.span(took)), preimage \(preimage ?? "?")"
    case "failed":
      guard let failure else { return "failed: the money is back" }
      return "failed with \(failure.words): \(meaning ?? "the money is back")"
    default: return "\(state): \(meaning ?? "the wallet's database says nothing more")"
    }
  }

  var json: JSONObject {
    var object = JSONObject()
    object.set("state", state)
    object.set("payment_hash", paymentHash)
    object.set("amount_msat", amountMsat)
    object.set("preimage", ifPresent: preimage)
    object.set("code", ifPresent: failure.map { "\($0)" })
    object.set("code_name", ifPresent: failure?.name)
    object.set("meaning", ifPresent: meaning)
    object.set("took_ms", took.wholeMilliseconds)
    return object
  }
}
