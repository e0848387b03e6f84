import Ground
import DaemonRuntime
import Guardrails
import Wallet

/// Stands in for the phone when a process was started by hand: what it says goes to the terminal.
final class TerminalPhone: PhoneLink {
  private let role: String
  var onFinished: ((UInt64) -> Void)?

  init(role: String) { self.role = role }

  func show(_ status: Status) {
    let epoch = status.epoch.map { " (epoch \($0))" } ?? ""
    printLine("\(role): \(status.text)\(epoch)")
  }

  func deliver(_ push: UInt64, _ outcome: PushOutcome) {
    let content = NotificationContent(outcome)
    printLine("\(role): notification for push \(push): \(content.title): \(content.body)")
  }

  func withdraw(payment: Bytes32) {}
  func mayConnect(_ targets: [ConnectionTarget]) {}

  func notify(_ payment: ReceivedPayment) {
    let content = NotificationContent(payment)
    printLine("\(role): notification: \(content.title): \(content.body)")
  }

  func finished(_ push: UInt64, _ reason: FinishReason) {
    printLine("\(role): push \(push) is done: \(reason.rawValue)")
    onFinished?(push)
  }

  func completed(_ push: UInt64, _ outcome: SilentPushOutcome) {}
  func backgroundDone() {}
  func beginBackgroundTask(_ id: UInt64, name: String?) {}
  func endBackgroundTask(_ id: UInt64) { printLine("\(role): everything is released") }
}
