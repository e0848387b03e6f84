import DaemonRuntime
import Guardrails
import SharedContainer

/// Whether anybody is there who can bring a payment of the wallet's own to its end.
struct PaymentEnder {
  let phone: Phone
  /// What becomes of it while nobody is.
  var otherwise = "the payment stays in the channel"

  /// Nil while there is: the app that runs, or the extension while it has the node.
  func absence(_ snapshot: Snapshot) -> String? {
    guard snapshot.lock(of: .extension).holders.isEmpty else { return nil }
    return Self.sentence(
      DaemonAnswer(to: ControlMessage("status"), from: .iosd, of: phone), otherwise: otherwise)
  }

  static func sentence(
    _ answer: DaemonAnswer, otherwise: String = "the payment stays in the channel"
  ) -> String? {
    let next = "or press ^C: \(otherwise)"
    switch answer {
    case .notRunning: return "the phone is off; start it with `baton up` and open the app, \(next)"
    // Whoever asks in vain does not know.
    case .silent: return nil
    case .said(let facts):
      switch facts["app"]?["state"]?.text {
      case "not running": return "the app is gone; open it, \(next)"
      case "suspended": return "the app is suspended; open it, \(next)"
      default: return nil
      }
    }
  }
}
