import DaemonRuntime
import Wallet

/// How the wallet's notifications look, and what the person can do with them.
enum WalletNotifications {
  private static let incomingPayment = "INCOMING_PAYMENT"

  static func fields(of content: NotificationContent) -> [ControlMessage.Field] {
    var fields: [ControlMessage.Field] = [
      .init(name: "title", value: content.title), .init(name: "body", value: content.body),
      .init(name: "badge", value: "\(content.badgeIncrement)"),
    ]
    if content.kind == .payment {
      // Money is worth a disturbance, and not a critical one: that takes an entitlement which wallets do not get.
      fields += [
        .init(name: "level", value: "time-sensitive"), .init(name: "sound", value: "default"),
        .init(name: "category", value: incomingPayment),
      ]
    }
    return fields
  }

  /// What the app registers at its start.
  static var categories: ControlMessage {
    var open = JSONObject()
    open.set("id", "OPEN_NOW")
    open.set("title", "Open Now")
    open.set("foreground", true)
    var category = JSONObject()
    category.set("id", incomingPayment)
    category.set("actions", raw: "[\(open.text)]")
    category.set("dismiss", true)
    return ControlMessage("categories", body: Array("[\(category.text)]".utf8))
  }
}
