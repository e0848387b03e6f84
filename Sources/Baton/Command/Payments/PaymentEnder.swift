import DaemonRuntime
import Ground
import Guardrails
import Lightning
import PhonePolicy
import SharedContainer

/// What the wallet sends, as `--json` prints it.
protocol WalletOutcome: Report {
  /// The recipient has the money.
  var isDone: Bool { get }
  func sentence(_ took: TimeSpan) -> String
}

/// Has the app begin a payment or a splice, waits for its end, and reports if no process runs that can complete it.
struct PaymentEnder {
  /// Between two looks while iosd is away, which else says when there is something to see.
  private static let absencePause = TimeSpan.seconds(1)

  let phone: Phone
  /// As `baton pay` without a hold.
  static let timeout = OptionDeclaration(
    "--timeout", value: .span,
    help: "how long to wait; then the outcome is unknown, exit code 7 (default: 2 minutes)")

  /// What happens to the payment without such a process.
  var otherwise = "the payment stays in the channel"

  /// `begun` is told the app's answer; `ended` looks for the end of what began.
  func run<Outcome: WalletOutcome>(
    _ message: ControlMessage, _ invocation: Invocation,
    begun: (ControlMessage, _ took: TimeSpan) throws -> Outcome,
    ended: (WalletView, Outcome, _ took: TimeSpan) -> Outcome?
  ) throws -> ExitCode {
    let start = Clock.monotonicNow
    let answer = try phone.askAppToPay(message)
    let took = Clock.monotonicNow - start
    let outcome = try begun(answer, took)
    let waits = !invocation.line.isGiven("--no-wait")
    if !waits || !invocation.output.isJSON { invocation.output.say(outcome.sentence(took), json: outcome) }
    guard waits else { return .done }
    let (end, endTook) = try wait(invocation) { wallet in
      let took = Clock.monotonicNow - start
      return ended(wallet, outcome, took).map { ($0, took) }
    }
    invocation.output.say(end.sentence(endTook), json: end)
    return end.isDone ? .done : .paymentFailed
  }

  /// Reads the wallet's rows: another process may complete the payment than the one that began it. Whichever does tells
  /// iosd, which also knows when a process ends or is suspended. iosd is asked before the rows are read: an end after the
  /// look is not missed.
  private func wait<End>(_ invocation: Invocation, for outcome: (WalletView) -> End?) throws -> End {
    let loop = try EventLoop()
    let limit = PaymentLoad.timeout(invocation.line, hold: nil)
    let end = Clock.monotonicNow + limit
    var said: String?
    var iosd: ControlClient?
    while true {
      if iosd == nil {
        iosd = try? phone.connect(to: .iosd)
        try? iosd?.send(ControlMessage("wallet-news"))
      }
      let snapshot = try look()
      if let ended = outcome(WalletView(snapshot.tables)) { return ended }
      let absence = absence(snapshot)
      // The process may have completed it right before it ended.
      if absence != nil, let ended = outcome(WalletView(try look().tables)) { return ended }
      if let absence, absence != said { invocation.output.remark(absence) }
      said = absence
      try require(
        Clock.monotonicNow < end, .tooSlow,
        "no outcome in \(HumanText.span(limit)); \(otherwise); `baton list payments` shows how it ends")
      let left = max(.zero, end - Clock.monotonicNow)
      do throws(ControlClientError) {
        if try iosd?.receive(timeout: left).verb == "ok" {
          iosd = nil
          continue
        }
      } catch .timedOut {
        continue
      } catch {}
      iosd = nil
      _ = try loop.run(for: min(Self.absencePause, left)) { false }
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

extension PaymentDocument: WalletOutcome {
  init(_ row: WalletView.SentFacts, took: TimeSpan) {
    self.init(
      row.state == "paid" ? "settled" : row.state, of: row.paymentHash, amountMsat: row.amountMsat, took: took
    )
    preimage = row.preimage
    let failure = row.failureCode.flatMap { UInt16(exactly: $0) }.map { FailureCode(rawValue: $0) }
    code = failure?.description
    codeName = failure?.name
    if state == "lost" {
      meaning =
        "the outcome was lost with the wallet's database, and the payment may be settled; ask the recipient before you pay a new invoice"
    } else if let failure = failure?.failureClass {
      let next = failure.mayPass ? "try again later" : "ask for a new invoice"
      meaning = "\(failure.reason); the money is back, \(next)"
    }
  }

  var isDone: Bool { state == "settled" }

  func sentence(_ took: TimeSpan) -> String {
    let amount = HumanText.amount(msat: amountMsat)
    switch state {
    case "offered": return "offered: \(amount), payment hash \(paymentHash.prefix(8))"
    case "settled": return "settled: \(amount) in \(HumanText.span(took)), preimage \(preimage ?? "?")"
    case "failed":
      guard let code, let meaning else { return "failed: the money is back" }
      return "failed with \(codeName.map { "\($0) (\(code))" } ?? "code \(code)"): \(meaning)"
    default: return "\(state): \(meaning ?? "the wallet's database has no details")"
    }
  }
}

/// A splice-out.
struct Withdrawal: WalletOutcome {
  /// signing, done, forgotten or lost.
  var state: String
  var txid: String
  var amountMsat: UInt64
  var feeMsat: UInt64
  var meaning: String?
  var tookMs: Int64

  var isDone: Bool { state == "done" }

  /// In that state of the wallet's row.
  func ended(as state: String, took: TimeSpan) -> Withdrawal {
    let meaning: String? =
      switch state {
      case "forgotten":
        "the peer no longer knew the splice, and the wallet had not signed its transaction; no funds moved, try again"
      case "lost":
        "the outcome was lost with the wallet's database; check whether the transaction is on chain"
      default: nil
      }
    return Withdrawal(
      state: state, txid: txid, amountMsat: amountMsat, feeMsat: feeMsat, meaning: meaning,
      tookMs: took.wholeMilliseconds)
  }

  func sentence(_ took: TimeSpan) -> String {
    let amount = HumanText.amount(msat: amountMsat)
    let fee = HumanText.amount(msat: feeMsat)
    if let meaning { return "\(state): \(meaning)" }
    return isDone
      ? "done: \(amount) on chain in \(HumanText.span(took)), fee \(fee), transaction \(txid)"
      : "begun: \(amount) and a fee of \(fee) leave the channel with transaction \(txid.prefix(8))"
  }
}
