import PhoneClient
import Terminal
import Inspection
import Ground
import DaemonRuntime
import Guardrails
import Reports
import SharedContainer

/// Waits for the end of what the wallet sends, and says who is missing that could bring it there.
struct PaymentEnder {
  private static let lookPause = TimeSpan.milliseconds(100)
  /// Between two looks whether anybody is there who can end it.
  private static let absencePause = TimeSpan.seconds(1)

  let phone: Phone
  /// What becomes of it while nobody is.
  var otherwise = "the payment stays in the channel"

  /// The wallet's own rows tell it: it may be another process that ends it than the one that began it.
  func wait<End>(_ invocation: Invocation, for end: (WalletView) -> End?) throws -> End {
    let loop = try EventLoop()
    var said: String?
    var nextLook = Clock.monotonicNow
    while true {
      let snapshot = try look()
      if let ended = end(WalletView(snapshot.tables)) { return ended }
      if Clock.monotonicNow >= nextLook {
        nextLook = Clock.monotonicNow + Self.absencePause
        let absence = absence(snapshot)
        // Who is gone may have ended it just before.
        if absence != nil, let ended = end(WalletView(try look().tables)) { return ended }
        if let absence, absence != said { invocation.output.remark(absence) }
        said = absence
      }
      _ = try loop.run(for: Self.lookPause) { false }
    }
  }

  private func look() throws -> Snapshot {
    try Snapshot.take(of: phone.container)
  }

  /// Nil while there is somebody: the app that runs, or the extension while it has the node.
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
    case .notRunning: return "the phone is off; start it with `baton up` and open the app, \(next)"
    // Whoever asks in vain does not know.
    case .silent: return nil
    case .said(let facts):
      switch facts.app.state {
      case "not running": return "the app is gone; open it, \(next)"
      case "suspended": return "the app is suspended; open it, \(next)"
      default: return nil
      }
    }
  }
}
