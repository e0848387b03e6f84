import DaemonRuntime
import Ground
import Guardrails
import Lightning
import PhonePolicy
import SharedContainer

/// Waits for the end of an outgoing payment or splice, and reports if no process runs that can complete it.
struct PaymentEnder {
  private static let lookPause = TimeSpan.milliseconds(100)
  /// The time between two checks for such a process.
  private static let absencePause = TimeSpan.seconds(1)

  let phone: Phone
  /// As `baton pay` without a hold.
  static let timeout = OptionDeclaration(
    "--timeout", value: .span,
    help: "how long to wait; then the outcome is unknown, exit code 7 (default: 2 minutes)")

  /// What happens to the payment without such a process.
  var otherwise = "the payment stays in the channel"

  /// Reads the wallet's rows: another process may complete the payment than the one that began it.
  func wait<End>(_ invocation: Invocation, for outcome: (WalletView) -> End?) throws -> End {
    let loop = try EventLoop()
    let limit = PaymentLoad.timeout(invocation.line, hold: nil)
    let end = Clock.monotonicNow + limit
    var said: String?
    var nextLook = Clock.monotonicNow
    while true {
      let snapshot = try look()
      if let ended = outcome(WalletView(snapshot.tables)) { return ended }
      if Clock.monotonicNow >= nextLook {
        nextLook = Clock.monotonicNow + Self.absencePause
        let absence = absence(snapshot)
        // The process may have completed it right before it ended.
        if absence != nil, let ended = outcome(WalletView(try look().tables)) { return ended }
        if let absence, absence != said { invocation.output.remark(absence) }
        said = absence
      }
      try require(
        Clock.monotonicNow < end, .tooSlow,
        "no outcome in \(HumanText.span(limit)); \(otherwise); `baton list payments` shows how it ends")
      _ = try loop.run(for: Self.lookPause) { false }
    }
  }

  private func look() throws -> Snapshot { try Snapshot.take(of: phone.container) }

  /// Nil while the app runs or the extension holds its lock.
  private func absence(_ snapshot: Snapshot) -> String? {
    guard snapshot.lock(of: .extension).holders.isEmpty else { return nil }
    return Self.sentence(
      DaemonAnswer(to: ControlMessage("status"), from: .iosd, of: phone), otherwise: otherwise)
  }

  static func sentence(
    _ answer: DaemonAnswer<PhoneFacts>, otherwise: String = "the payment stays in the channel"
  ) -> String? {
    let next = "or press ^C: \(otherwise)"
    switch answer {
    case .notRunning: return "the phone is down; start it with `baton up` and open the app, \(next)"
    // Without an answer the app's state is unknown.
    case .silent: return nil
    case .said(let facts):
      switch facts.app.state {
      case "not running": return "the app does not run; open it, \(next)"
      case "suspended": return "the app is suspended; open it, \(next)"
      default: return nil
      }
    }
  }
}

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

  var document: PaymentDocument {
    var document = PaymentDocument(state, of: paymentHash, amountMsat: amountMsat, took: took)
    document.preimage = preimage
    document.code = failure.map { "\($0)" }
    document.codeName = failure?.name
    document.meaning = meaning
    return document
  }
}

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
