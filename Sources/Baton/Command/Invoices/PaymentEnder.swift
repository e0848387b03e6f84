import Ground
import DaemonRuntime
import Guardrails
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
      guard Clock.monotonicNow < end else {
        throw CommandFailure(
          .tooSlow,
          "no outcome in \(HumanText.span(limit)); \(otherwise); `baton list payments` shows how it ends"
        )
      }
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
