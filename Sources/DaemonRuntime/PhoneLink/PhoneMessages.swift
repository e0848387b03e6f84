// DaemonRuntime/PhoneLink: what every wallet process says to iosd, which is the phone at the other end of its channel, whether the
// process has a node or not. It decides nothing, and knows no Lightning.

import Crypto
import Ground
import Guardrails

/// The messages of a wallet process to the phone.
public enum PhoneMessages {
  public static func hello(_ role: Role, pid: Int32) -> ControlMessage {
    ControlMessage("hello", ["role": role.rawValue, "pid": "\(pid)"])
  }

  /// The content of a push's notification. It takes the place of an earlier one of the same payment: the peer repeats its
  /// push while nobody comes.
  public static func content(ofPush push: UInt64, _ outcome: PushOutcome, _ wallet: WalletProfile)
    -> ControlMessage
  {
    var message = ControlMessage("content", ["id": "\(push)"])
    message["key"] =
      outcome.payment.map(key(ofPayment:)) ?? outcome.announcedPayment.map(key(ofAnnouncement:))
    message.fields += WalletNotifications.fields(of: NotificationContent(outcome, of: wallet))
    return message
  }

  /// The notification of a payment that a process received by itself. One message withdraws the announcement, too:
  /// between two the extension may announce the payment once more.
  public static func notification(of payment: ReceivedPayment, withdrawsAnnouncement: Bool) -> ControlMessage
  {
    var message = ControlMessage("notification", ["key": key(ofPayment: payment.paymentHash)])
    if withdrawsAnnouncement { message["withdraw"] = key(ofAnnouncement: payment.paymentHash) }
    message.fields += WalletNotifications.fields(of: NotificationContent(payment))
    return message
  }

  public static func withdrawal(ofAnnouncement hash: Bytes32) -> ControlMessage {
    ControlMessage("withdraw", ["key": key(ofAnnouncement: hash)])
  }

  /// What iosd calls a payment's notification, the same from either process. A digest: iOS keeps a notification's
  /// identifier in its own files, outside the wallet's protection. docs/fidelity.md says what it hides from whom.
  public static func key(ofPayment hash: Bytes32) -> String { key("notification of payment ", hash) }

  /// Of an announcement that is not received yet: a key of its own, as one that comes late must not displace the
  /// notification of the receipt.
  public static func key(ofAnnouncement hash: Bytes32) -> String { key("announcement of payment ", hash) }

  private static func key(_ what: String, _ hash: Bytes32) -> String {
    SHA256.hash(Array(what.utf8) + hash.bytes).hex
  }

  public static func finished(push: UInt64, _ reason: FinishReason) -> ControlMessage {
    ControlMessage("finished", ["id": "\(push)", "reason": reason.rawValue])
  }

  /// Sent before an exit: iosd shows the reason, not our standard error.
  public static func ending(_ how: WalletEnding, _ sentence: String) -> ControlMessage {
    ControlMessage("ending", ["code": how.rawValue, "reason": sentence])
  }

  /// The number of a push, a notification or a task.
  public static func id(of message: ControlMessage) throws(ControlMessageError) -> UInt64 {
    try message.integer("id", in: 0...UInt64.max)
  }
}

/// What a process that was started by hand prints in place of those messages.
public enum TerminalLines {
  public static func delivered(push: UInt64, _ content: NotificationContent, by process: String) -> String {
    "\(process): notification for push \(push): \(content.title): \(content.body)"
  }

  public static func finished(push: UInt64, _ reason: FinishReason, by process: String) -> String {
    "\(process): push \(push) is done: \(reason.text)"
  }
}

/// The appearance of the wallet's notifications, and their actions.
public enum WalletNotifications {
  public static func fields(of content: NotificationContent) -> [ControlMessage.Field] {
    [
      ("title", content.title), ("body", content.body), ("badge", "\(content.badgeIncrement)"),
      ("level", content.level), ("sound", content.sound), ("category", content.category),
    ].compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }

  private struct Category: Encodable {
    struct Action: Encodable {
      var id = "OPEN_NOW"
      var title = "Open Now"
      var foreground = true
    }
    var id = NotificationContent.paymentCategory
    var actions = [Action()]
    var dismiss = true
  }

  /// The categories that the app registers at launch.
  public static var categories: ControlMessage {
    let text = (try? JSONLineEncoder().encode([Category()])) ?? "[]"
    return ControlMessage("categories", body: Array(text.utf8))
  }
}
