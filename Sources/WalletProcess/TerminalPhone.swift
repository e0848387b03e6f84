import DaemonRuntime
import Wallet
import Guardrails

/// Replaces the phone when a process is started by hand: prints the orders.
final class TerminalPhone {
  private let role: String
  private let wallet: WalletProfile
  var onFinished: ((UInt64) -> Void)?

  init(role: String, wallet: WalletProfile) {
    self.role = role
    self.wallet = wallet
  }

  func carryOut(_ order: PhoneOrder) {
    switch order {
    case .show(let status):
      let epoch = status.epoch.map { " (epoch \($0))" } ?? ""
      printLine("\(role): \(status.text)\(epoch)")
    case .deliver(let push, let outcome):
      printLine(TerminalLines.delivered(push: push, NotificationContent(outcome, of: wallet), by: role))
    case .notify(let payment, _):
      let content = NotificationContent(payment)
      printLine("\(role): notification: \(content.title): \(content.body)")
    case .finished(let push, let reason):
      printLine(TerminalLines.finished(push: push, reason, by: role))
      onFinished?(push)
    case .endBackgroundTask: printLine("\(role): everything is released")
    case .end(let reason): printLine("\(role): \(reason.text)")
    case .showScreen(let screen): printLine("\(role): shows “\(screen.text)”")
    case .copy(let text): printLine("\(role): copies “\(text)”")
    case .answerPress, .tidyJournals, .say, .mayConnect, .withdrawAnnouncement, .completed,
      .noteFailure, .backgroundDone,
      .beginBackgroundTask,
      .makeInvoice, .answer, .submit, .complete, .playAudio, .stopAudio, .cleanUp:
      break
    }
  }
}
