import Ground
import DaemonRuntime
import PhonePolicy

/// A splice-out as a sentence.
struct Withdrawal {
  var transaction: String
  var amountSat: UInt64
  var feeSat: UInt64
  /// The state in the wallet's row.
  var state = "signing"
  var took: TimeSpan

  var isDone: Bool { state == "done" }

  private var meaning: String? {
    switch state {
    case "forgotten":
      "the peer no longer knew the splice, and the wallet had not signed its transaction; no funds moved, try again"
    case "lost":
      "the outcome was lost with the wallet's database; check whether the transaction is on chain"
    default: nil
    }
  }

  var sentence: String {
    let amount = HumanText.amount(msat: amountSat &* 1000)
    let fee = HumanText.amount(msat: feeSat &* 1000)
    switch state {
    case "done":
      return "done: \(amount) on chain in \(HumanText.span(took)), fee \(fee), transaction \(transaction)"
    case "forgotten", "lost": return "\(state): \(meaning ?? "")"
    default:
      return
        "begun: \(amount) and a fee of \(fee) leave the channel with transaction \(transaction.prefix(8))"
    }
  }

  struct Document: Report {
    /// signing, done, forgotten or lost.
    var state: String
    var txid: String
    var amountMsat: UInt64
    var feeMsat: UInt64
    var meaning: String?
    var tookMs: Int64
  }

  var document: Document {
    Document(
      state: state, txid: transaction, amountMsat: amountSat &* 1000, feeMsat: feeSat &* 1000,
      meaning: meaning, tookMs: took.wholeMilliseconds)
  }
}
